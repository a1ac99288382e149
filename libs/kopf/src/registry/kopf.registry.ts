import { Inject, Injectable } from '@nestjs/common';
import type { Resource } from '../resources/resources.js';
import type { ResourceDeclaration } from '../resources/selectors.js';
import { HandlerRegistry, type HandlerDescription } from './handler.registry.js';
import { InspectedAs } from '../common/inspection.js';

/**
 * Describes the handlers of the operator, without a cluster: all of the application when it has started, and those of modules that are loaded
 * lazily from then on.
 *
 * @example
 * for (const { kind, id, source } of registry.describe()) console.log(kind, id, source);
 */
@Injectable()
@InspectedAs<KopfRegistry>(() => ({}))
export class KopfRegistry {
  /** @internal */
  constructor(@Inject(HandlerRegistry) private readonly handlers: HandlerRegistry) {}

  /** Describes all handlers, in the order in which they were found. */
  describe(): readonly HandlerDescription[] {
    return this.handlers.describe();
  }

  /** The classes that handlers are declared for, such as those with `@CustomResource()`. */
  declarations(): readonly ResourceDeclaration[] {
    return this.handlers.declarations();
  }

  /** The handlers with an id. There can be several: of different kinds, or for different resources. */
  findById(id: string): readonly HandlerDescription[] {
    return this.handlers.describe((handler) => handler.id === id);
  }

  /**
   * The handlers of a resource.
   *
   * @example
   * registry.findByResource(await client.resolve('deployments.apps'));
   */
  findByResource(resource: Resource): readonly HandlerDescription[] {
    return this.handlers.describe(({ selector }) => selector?.check(resource) ?? false);
  }
}
