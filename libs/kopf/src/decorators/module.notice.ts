import { Inject } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { NestLogger } from '../common/nest.logger.js';

/** Keys the metadata of the module that finds handlers, by which it is recognised, and of applications that were warned of its absence. */
export const HANDLERS_MODULE = 'nestjs-kopf:module';
const WARNED = 'nestjs-kopf:warned';

/** Receives the modules of the application that creates an instance. Nothing is stored under it. */
const MODULES = Symbol('nestjs-kopf:modules');

/**
 * Has Nest tell a class of handlers to which application its instance belongs, so that it can warn of one without `KopfModule`, in which
 * nothing else of the library runs. It is a property to inject that exists in every application, and that only has a setter: the
 * class needs no dependency of its own, and instances that are created without Nest know nothing of it.
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
