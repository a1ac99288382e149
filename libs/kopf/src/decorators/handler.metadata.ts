// decorators: what users write on their methods and parameters. A decorator only leaves metadata on the method, or a token on the
// parameter: no handler exists before discovery/ has read the metadata at the start of the application.
// May import: common, objects, resources, client, contexts.

import { KopfBootstrapError } from '../common/kopf.errors.js';
import { noticeMissingModule } from './module.notice.js';
import type { SelectorArgs } from '../resources/selectors.js';
import type { HandlerDecorator, ResourceDecorator } from './handler.decorators.js';

/** The kinds of handlers, by their decorators. */
export type HandlerKind =
  | 'startup'
  | 'cleanup'
  | 'login'
  | 'probe'
  | 'create'
  | 'update'
  | 'delete'
  | 'resume'
  | 'field'
  | 'event'
  | 'daemon'
  | 'timer'
  | 'child'
  | 'reference'
  | 'log'
  | 'index'
  | 'validate'
  | 'mutate'
  | 'convert';

/** Holds the metadata that one decorator leaves on its method. */
export interface HandlerMetadata {
  readonly kind: HandlerKind;
  /** Names the decorator as it is written in the code, for messages. */
  readonly decorator: string;
  /** Absent for the handlers of the operator's own life. */
  readonly selector?: SelectorArgs;
  /** The resource of the children, as it was given. */
  readonly related?: unknown;
  readonly options: Readonly<object> & Readonly<Record<string, any>>;
}

/** Keys the metadata of handlers on a method: a list, as decorators stack; the lowest one comes first. */
export const HANDLERS_METADATA = 'nestjs-kopf:handlers';

/** Keys the decorated methods of a class on its prototype: the functions that were decorated, as other decorators can replace them. */
const DECORATED_METADATA = 'nestjs-kopf:decorated';

/** The functions of a class that were decorated, by the names of the methods. Inherited ones are those of the base class. */
export function decoratedMethodsOf(prototype: object): ReadonlyMap<string, ReadonlySet<object>> {
  const found = Reflect.getOwnMetadata(DECORATED_METADATA, prototype) as Map<string, Set<object>> | undefined;
  return found ?? new Map<string, Set<object>>();
}

/** Reads the metadata of all handler decorators of a method of the class itself, whatever has become of the method since. */
export function declaredHandlersOf(prototype: object, name: string): readonly HandlerMetadata[] {
  return (Reflect.getOwnMetadata(HANDLERS_METADATA, prototype, name) as HandlerMetadata[] | undefined) ?? [];
}

/**
 * Adds metadata to a method, in the order in which decorators are applied: from the lowest to the topmost one, as in Python,
 * so that Kopf calls the same handlers in the same order, and takes the options of the same one if several have one id.
 *
 * @throws KopfBootstrapError on what would never be called: only methods of instances are found, and those with names.
 */
export function addHandlerMetadata(metadata: HandlerMetadata): HandlerDecorator<any> {
  return (target: object, key: string | symbol, descriptor: PropertyDescriptor | undefined) => {
    const method: unknown = descriptor?.value;
    if (typeof target === 'function' || typeof key === 'symbol' || typeof method !== 'function') {
      const className = typeof target === 'function' ? target.name : target.constructor.name;
      const what = 'handlers must be methods with names, neither static ones nor accessors';
      throw new KopfBootstrapError([`${className}.${String(key)} (${metadata.decorator}): ${what}`]);
    }
    const others = (Reflect.getMetadata(HANDLERS_METADATA, method) as HandlerMetadata[] | undefined) ?? [];
    Reflect.defineMetadata(HANDLERS_METADATA, [...others, metadata], method);
    // The same belongs to the property: decorators between and above those of handlers can put other functions in the place of the method.
    Reflect.defineMetadata(HANDLERS_METADATA, [...declaredHandlersOf(target, key), metadata], target, key);
    const decorated = decoratedMethodsOf(target);
    const functions = new Set([...(decorated.get(key) ?? []), method]);
    Reflect.defineMetadata(DECORATED_METADATA, new Map([...decorated, [key, functions]]), target);
    noticeMissingModule(target);
  };
}

/**
 * Makes the decorators of one kind of resource handlers. All their arguments but the options are the selector.
 *
 * @param decorator the name as it is written in the code: `@OnCreate`.
 */
export function resourceDecorator<Options extends object, Context>(
  kind: HandlerKind,
  decorator: string,
): ResourceDecorator<Options, Context> {
  return (...args: readonly unknown[]): HandlerDecorator<any> => {
    const last = args.at(-1);
    const hasOptions = args.length > 1 && typeof last === 'object' && last !== null;
    const selector = (hasOptions ? args.slice(0, -1) : args) as unknown as SelectorArgs;
    return addHandlerMetadata({ kind, decorator, selector, options: hasOptions ? { ...(last as object) } : {} });
  };
}
