import { Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { HANDLERS_METADATA, type HandlerMetadata } from '../decorators/handler.metadata.js';

/** Remembers which prototypes have handlers, for all applications of the process: the decorators of a class do not change. */
const HAVE_HANDLERS = new WeakMap<object, boolean>();

/** Reads what the handler decorators have left on methods. */
@Injectable()
export class HandlerMetadataAccessor {
  constructor(@Inject(Reflector) private readonly reflector: Reflector) {}

  /** Reads the metadata of a method's decorators in the order in which they are applied: the lowest one first. */
  handlersOf(method: (...args: never[]) => unknown): readonly HandlerMetadata[] {
    return this.reflector.get<HandlerMetadata[] | undefined>(HANDLERS_METADATA, method) ?? [];
  }

  /** Tells whether a method of a class has handlers, or one that it inherits or overrides. Most classes of an application have none. */
  hasHandlers(prototype: object): boolean {
    let known = HAVE_HANDLERS.get(prototype);
    if (known === undefined) {
      known = this.findHandlers(prototype);
      HAVE_HANDLERS.set(prototype, known);
    }
    return known;
  }

  private findHandlers(prototype: object): boolean {
    const members = Object.values(Object.getOwnPropertyDescriptors(prototype)).map(({ value }): unknown => value);
    if (members.some((member) => typeof member === 'function' && this.handlersOf(member as never).length > 0))
      return true;
    const base = Object.getPrototypeOf(prototype) as object | null;
    return base !== null && base !== Object.prototype && this.hasHandlers(base);
  }
}
