import { Injectable } from '@nestjs/common';
import type { Resource } from '../resources/resources.js';
import type { HandlerDecorator } from '../decorators/handler.decorators.js';
import type { ResourceDeclaration } from '../resources/object-class.js';
import { KopfBootstrapError } from '../common/kopf.errors.js';
import type { HandlerRegistration } from './handler.registrar.js';
import { HandlerRegistry } from './handler.registry.js';
import type { HandlerDescription } from './handler.js';
import { InspectedAs } from '../common/inspection.js';
import { InjectOwn } from '../kopf.tokens.js';

/**
 * The registry of the operator's handlers, for the application: it describes them, without a cluster, and adds and removes handlers while
 * the application runs. The handlers of the application's providers are registered when it has started.
 *
 * @example
 * for (const { kind, id, source } of registry.describe()) console.log(kind, id, source);
 * const registration = registry.add(OnCreate('configmaps', { id: 'created' }), ({ name }: ChangeContext) => console.log(name));
 * registration.remove();
 */
@Injectable()
@InspectedAs<KopfRegistry>(() => ({}))
export class KopfRegistry {
  /** @internal */
  constructor(@InjectOwn(HandlerRegistry) private readonly handlers: HandlerRegistry) {}

  /**
   * Adds the handlers of an object of a class with decorated methods. It need not be a provider; only providers can have guards, pipes,
   * interceptors, and filters.
   *
   * The handlers are called as if the operator had been started with them: their resources are watched, and existing objects are listed;
   * objects that were handled before are not handled as created once more. Handlers of activities and conversions, and those with a `dto`,
   * cannot be added later.
   *
   * @throws KopfBootstrapError that names every error of the handlers; none of them is added then.
   */
  add(instance: object): HandlerRegistration;
  /**
   * Adds a function as the handler that a decorator describes. Its id is the option `id`, or the name of the function.
   *
   * @throws KopfBootstrapError that names every error of the handler.
   */
  add<Context>(decorator: HandlerDecorator<Context>, handler: (context: Context) => unknown): HandlerRegistration;
  add(target: object, handler?: (context: any) => unknown): HandlerRegistration {
    const { registrar } = this.handlers;
    if (!registrar)
      throw new KopfBootstrapError(['handlers can be added once the modules of the application are initialised']);
    if (handler === undefined) return registrar.register(target);
    return registrar.registerFunction(target as HandlerDecorator<any>, handler);
  }

  /** Describes all handlers, in the order in which they were found. */
  describe(): readonly HandlerDescription[] {
    return this.handlers.describe();
  }

  /** Returns the classes that handlers are declared for, such as those with `@CustomResource()`. */
  declarations(): readonly ResourceDeclaration[] {
    return this.handlers.declarations();
  }

  /** Describes the handlers with an id. There can be several: of different kinds, or for different resources. */
  findById(id: string): readonly HandlerDescription[] {
    return this.handlers.describe((handler) => handler.id === id);
  }

  /**
   * Describes the handlers of a resource.
   *
   * @example
   * registry.findByResource(await client.resolve('deployments.apps'));
   */
  findByResource(resource: Resource): readonly HandlerDescription[] {
    return this.handlers.describe(({ selector }) => selector?.check(resource) ?? false);
  }
}
