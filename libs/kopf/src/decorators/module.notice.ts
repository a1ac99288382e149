import { Inject } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { NestLogger } from '../common/nest.logger.js';

/**
 * The key of the metadata of the module that finds handlers, by which it is recognised, and of applications that were warned of its
 * absence.
 */
export const HANDLERS_MODULE = 'nestjs-kopf:module';
const WARNED = 'nestjs-kopf:warned';

/** The key of a setter that receives the modules of the application which creates the instance. It stores nothing. */
const MODULES = Symbol('nestjs-kopf:modules');

/**
 * Makes Nest pass its modules to the instances of a class of handlers, so that a missing `KopfModule` is reported, in whose absence nothing
 * else of the library runs. For that, it adds an injected property with only a setter, of a type that every application provides: the class
 * needs no further dependency, and instances that are created without Nest are not affected.
 */
export function noticeMissingModule(prototype: object): void {
  if (MODULES in prototype) return;
  Object.defineProperty(prototype, MODULES, {
    set(this: object, modules: ModulesContainer) {
      warnWithoutModule(modules, this.constructor.name);
    },
  });
  Inject(ModulesContainer)(prototype, MODULES);
}

/** Warns once in each application. */
function warnWithoutModule(modules: ModulesContainer, className: string): void {
  if (Reflect.hasMetadata(WARNED, modules)) return;
  if ([...modules.values()].some(({ metatype }) => Reflect.hasMetadata(HANDLERS_MODULE, metatype))) return;
  Reflect.defineMetadata(WARNED, true, modules);
  new NestLogger('Kopf').warn(
    `${className} has handlers, but the application does not import KopfModule, so they are never called: import ` +
      'KopfModule.forRoot() in the root module; with the option enabled: false where the operator is not to run.',
  );
}
