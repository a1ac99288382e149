import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import type { KubeApiClass } from './client/api/typed.api.factory.js';
import { TypedApis } from './client/api/typed.apis.js';
import { getIndexToken } from './decorators/inject-index.decorator.js';
import { getKubeApiToken } from './decorators/inject-kube-api.decorator.js';
import { IndexRegistry } from './indexing/index.registry.js';

/** Lists the indices and APIs that the providers and controllers of a module inject by `@InjectIndex()` and `@InjectKubeApi()`. */
export interface KopfFeatureOptions {
  /** The names of indices. Each must be kept by a method with `@Index()`, anywhere in the application. */
  readonly indices?: readonly string[];
  /** The classes of typed APIs of `@kubernetes/client-node`. Each has one instance in an application. */
  readonly apis?: readonly KubeApiClass[];
}

/**
 * Provides indices and typed APIs to the modules that import it. They are named by each of these modules, and not collected from the
 * decorators, as classes do not know in which of the applications of a process they are used.
 */
@Module({})
export class KopfFeatureModule {
  static register({ indices = [], apis = [] }: KopfFeatureOptions): DynamicModule {
    const providers = [...indices.map(provideIndex), ...apis.map(provideKubeApi)];
    const tokens = [...indices.map(getIndexToken), ...apis.map(getKubeApiToken)];
    return { module: KopfFeatureModule, providers, exports: tokens };
  }
}

function provideIndex(name: string): Provider {
  return {
    provide: getIndexToken(name),
    useFactory: (registry: IndexRegistry) => registry.get(name),
    inject: [IndexRegistry],
  };
}

function provideKubeApi(type: KubeApiClass): Provider {
  return { provide: getKubeApiToken(type), useFactory: (apis: TypedApis) => apis.get(type), inject: [TypedApis] };
}
