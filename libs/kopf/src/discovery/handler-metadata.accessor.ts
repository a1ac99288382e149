import { Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { isEnhancerKey } from './nest.internals.js';
import {
  declaredHandlersOf,
  decoratedMethodsOf,
  HANDLERS_METADATA,
  type HandlerMetadata,
} from '../decorators/handler.metadata.js';

/** Whether prototypes have handlers, cached for all applications of the process: the decorators of a class do not change. */
const HAVE_HANDLERS = new WeakMap<object, boolean>();

/** The reader of the metadata that the handler decorators leave on methods. */
@Injectable()
export class HandlerMetadataAccessor {
  constructor(@Inject(Reflector) private readonly reflector: Reflector) {}

  /** Reads the metadata of a method's decorators in the order in which they are applied: the lowest one first. */
  handlersOf(method: (...args: never[]) => unknown): readonly HandlerMetadata[] {
    return this.reflector.get<HandlerMetadata[] | undefined>(HANDLERS_METADATA, method) ?? [];
  }

  /** Checks whether a class has handlers, also inherited or overridden ones. Most classes of an application have none. */
  hasHandlers(prototype: object): boolean {
    let known = HAVE_HANDLERS.get(prototype);
    if (known === undefined) {
      known = this.findHandlers(prototype);
      HAVE_HANDLERS.set(prototype, known);
    }
    return known;
  }

  /**
   * Finds the handlers of a class, or of its base classes, that another decorator has broken: it replaced the method by an accessor, or by
   * a function without the method's guards, which Nest then does not find.
   */
  findSpoilt(prototype: object): readonly string[] {
    const violations: string[] = [];
    const overridden = new Set<string>();
    for (let owner: object | null = prototype; owner; owner = Object.getPrototypeOf(owner) as object | null) {
      for (const [name, originals] of decoratedMethodsOf(owner)) {
        if (overridden.has(name)) continue;
        const current: unknown = Object.getOwnPropertyDescriptor(owner, name)?.value;
        const decorators = [...new Set(declaredHandlersOf(owner, name).map(({ decorator }) => decorator))].join(', ');
        const where = `${owner.constructor.name}.${name} (${decorators})`;
        if (typeof current !== 'function') {
          violations.push(
            `${where}: another decorator has put something else in the place of the method; put it below`,
          );
        } else if ([...originals].some((original) => hasOtherEnhancers(original, current))) {
          violations.push(
            `${where}: another decorator has replaced the method, so Nest does not find its guards, interceptors, pipes, and filters; ` +
              'put @UseGuards() and the like above it',
          );
        }
      }
      for (const name of Object.getOwnPropertyNames(owner)) overridden.add(name);
    }
    return violations;
  }

  private findHandlers(prototype: object): boolean {
    for (const [name, originals] of decoratedMethodsOf(prototype)) restoreMetadata(prototype, name, originals);
    const base = Object.getPrototypeOf(prototype) as object | null;
    const inherits = base !== null && base !== Object.prototype && this.hasHandlers(base);
    if (inherits || decoratedMethodsOf(prototype).size > 0) return true;
    const members = Object.values(Object.getOwnPropertyDescriptors(prototype)).map(({ value }): unknown => value);
    return members.some((member) => typeof member === 'function' && this.handlersOf(member as never).length > 0);
  }
}

function hasOtherEnhancers(original: object, current: object): boolean {
  return Reflect.getOwnMetadataKeys(original).some(
    (key) => isEnhancerKey(key) && !Reflect.hasOwnMetadata(key, current),
  );
}

/**
 * Copies the metadata of a decorated method to the function by which another decorator has replaced it, such as one that opens a
 * transaction: its handlers, and whatever else the function does not have itself.
 */
function restoreMetadata(prototype: object, name: string, originals: ReadonlySet<object>): void {
  const current: unknown = Object.getOwnPropertyDescriptor(prototype, name)?.value;
  if (typeof current !== 'function' || (originals.size === 1 && originals.has(current))) return;
  for (const original of originals) {
    for (const key of Reflect.getOwnMetadataKeys(original)) {
      if (isEnhancerKey(key) || Reflect.hasOwnMetadata(key, current)) continue;
      Reflect.defineMetadata(key, Reflect.getOwnMetadata(key, original), current);
    }
  }
  Reflect.defineMetadata(HANDLERS_METADATA, declaredHandlersOf(prototype, name), current);
}
