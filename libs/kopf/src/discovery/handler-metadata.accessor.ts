import { Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { HANDLERS_METADATA, type HandlerMetadata } from '../decorators/handler.metadata.js';

/** Reads what the handler decorators have left on methods. */
@Injectable()
export class HandlerMetadataAccessor {
  constructor(@Inject(Reflector) private readonly reflector: Reflector) {}

  /** Reads the metadata of a method's decorators in the order in which they are applied: the lowest one first. */
  handlersOf(method: (...args: never[]) => unknown): readonly HandlerMetadata[] {
    return this.reflector.get<HandlerMetadata[] | undefined>(HANDLERS_METADATA, method) ?? [];
  }
}
