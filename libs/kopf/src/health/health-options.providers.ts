import type { FactoryProvider, ModuleMetadata, Provider, Type } from '@nestjs/common';
import { KopfOptionsError } from '../common/kopf.errors.js';
import { provideOptions } from '../settings/options.providers.js';
import { createHealthSettings, type KopfHealthControllerOptions, type KopfHealthLimits } from './health.options.js';
import { COMMON_HEALTH_SETTINGS } from './health.tokens.js';

/** The factory of the options of the health; to be implemented by a provider of the application. */
export interface KopfHealthOptionsFactory {
  createKopfHealthOptions(): KopfHealthLimits | Promise<KopfHealthLimits>;
}

/** The options of the health, made when the application starts: by a function, or by a provider. What the routes need is given here. */
export interface KopfHealthAsyncOptions
  extends KopfHealthControllerOptions, Pick<ModuleMetadata, 'imports' | 'providers'> {
  /** Creates the options from the injected providers. */
  useFactory?: (...args: any[]) => KopfHealthLimits | Promise<KopfHealthLimits>;
  inject?: FactoryProvider['inject'];
  /** The class of a provider that is created to make the options. */
  useClass?: Type<KopfHealthOptionsFactory>;
  /** The class of a provider in the imported modules that makes the options. */
  useExisting?: Type<KopfHealthOptionsFactory>;
}

const ROUTES = [
  'operator',
  'operators',
  'controller',
  'livenessPath',
  'readinessPath',
  'guards',
  'decorators',
  'globalPrefix',
] as const satisfies readonly (keyof KopfHealthControllerOptions)[];

/** Picks the options of the routes. */
export function pickRoutes(options: KopfHealthControllerOptions): KopfHealthControllerOptions {
  return Object.fromEntries(ROUTES.map((name) => [name, options[name]]));
}

/**
 * The providers of the options.
 *
 * @throws TypeError if there is nothing to make the options with.
 */
export function healthOptionsProviders(options: KopfHealthAsyncOptions): Provider[] {
  return provideOptions(options, {
    provide: COMMON_HEALTH_SETTINGS,
    module: 'KopfHealthModule',
    method: 'createKopfHealthOptions',
    complete: (limits: KopfHealthLimits) => {
      const late = Object.keys(limits).filter((name) => (ROUTES as readonly string[]).includes(name));
      if (late.length > 0) {
        throw new KopfOptionsError(
          late.map((name) => `${name} must be given beside the factory, as routes are made earlier`),
          'KopfHealthModule',
        );
      }
      return createHealthSettings({ ...limits, ...pickRoutes(options) });
    },
  });
}
