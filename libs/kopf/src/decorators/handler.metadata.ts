// decorators: the decorators that users write on their methods and parameters. A decorator only leaves metadata on the method, or a token
// on the parameter: handlers are created when discovery/ reads the metadata at the start of the application.
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

/** The metadata that one decorator leaves on its method. */
export interface HandlerMetadata {
  readonly kind: HandlerKind;
  /** The decorator as it is written in the code, for messages. */
  readonly decorator: string;
  /** The selector; absent for handlers of activities. */
  readonly selector?: SelectorArgs;
  /** The resource of the children, as the user has written it. */
  readonly related?: unknown;
  readonly options: Readonly<object> & Readonly<Record<string, any>>;
}

/** The key of the metadata of handlers on a method: a list, as there can be several decorators; the lowest one comes first. */
export const HANDLERS_METADATA = 'nestjs-kopf:handlers';

/**
 * The key of the decorated methods of a class in the metadata of its prototype: the functions that were decorated, as other decorators can
 * replace them.
 */
const DECORATED_METADATA = 'nestjs-kopf:decorated';

/** Returns the decorated functions of a class, by the names of the methods, without those that it inherits. */
export function decoratedMethodsOf(prototype: object): ReadonlyMap<string, ReadonlySet<object>> {
  const found = Reflect.getOwnMetadata(DECORATED_METADATA, prototype) as Map<string, Set<object>> | undefined;
  return found ?? new Map<string, Set<object>>();
}

/** Checks whether a class itself has handlers: not those of a class that it extends. */
export function hasHandlers({ prototype }: { readonly prototype: object }): boolean {
  const members = Object.values(Object.getOwnPropertyDescriptors(prototype)).map(({ value }): unknown => value);
  const isHandler = (value: unknown): boolean =>
    typeof value === 'function' && Reflect.hasMetadata(HANDLERS_METADATA, value);
  return decoratedMethodsOf(prototype).size > 0 || members.some(isHandler);
}

/**
 * Reads the metadata of all handler decorators of a method that the class itself declares, also if another decorator has replaced the
 * method.
 */
export function declaredHandlersOf(prototype: object, name: string): readonly HandlerMetadata[] {
  return (Reflect.getOwnMetadata(HANDLERS_METADATA, prototype, name) as HandlerMetadata[] | undefined) ?? [];
}

/**
 * Adds metadata to a method, in the order in which decorators are applied: from the lowest to the topmost one, as in Python, so that Kopf
 * calls the same handlers in the same order, and takes the options of the same one if several have one id.
 *
 * @throws KopfBootstrapError if the handler would never be called: only instance methods with names are found.
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
    // The metadata is also stored by the name of the method: decorators between and above those of handlers can replace the method by
    // another function.
    Reflect.defineMetadata(HANDLERS_METADATA, [...declaredHandlersOf(target, key), metadata], target, key);
    const decorated = decoratedMethodsOf(target);
    const functions = new Set([...(decorated.get(key) ?? []), method]);
    Reflect.defineMetadata(DECORATED_METADATA, new Map([...decorated, [key, functions]]), target);
    noticeMissingModule(target);
  };
}

/**
 * Creates the decorators of one kind of resource handlers. All their arguments except the options are the selector.
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
