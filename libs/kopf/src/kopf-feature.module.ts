import { Module, type DynamicModule, type FactoryProvider, type Provider } from '@nestjs/common';
import type { KubeApiClass } from './client/api/typed.api.factory.js';
import { TypedApis } from './client/api/typed.apis.js';
import { getIndexToken } from './decorators/inject-index.decorator.js';
import { getKubeApiToken } from './decorators/inject-kube-api.decorator.js';
import { requireOperators } from './discovery/operator.providers.js';
import { IndexRegistry } from './indexing/index.registry.js';
import { DEFAULT_OPERATOR, KOPF_ID_PREFIX, operatorTokenOf } from './kopf.tokens.js';
import { checkOptions, isList, isText, must, Rule } from './settings/option.validation.js';
import { findInvalidIds } from './state/annotation-keys.js';

/** The options of one module of the application: what it injects, and the prefix of its handlers' ids. */
export interface KopfFeatureOptions {
  /** The names of indices. Each must be kept by a method with `@Index()`, anywhere in the application. */
  readonly indices?: readonly string[];
  /** The classes of typed APIs of `@kubernetes/client-node`. Each has one instance in an application. */
  readonly apis?: readonly KubeApiClass[];
  /**
   * The name of the operator that keeps the indices, and whose connections the APIs use; `@InjectIndex()` and `@InjectKubeApi()` need the
   * same name. It does not assign handlers. @default the operator without a name
   */
  readonly operator?: string;
  /**
   * The prefix of the ids of all handlers on the providers and controllers of the module that imports this: `create` becomes
   * `billing/create`, so that two modules can have handlers of one name for one resource. Names of indices stay as they are. The progress
   * of handlers is stored on objects under their ids: if the prefix changes, unfinished handlers begin again. @default none
   */
  readonly idPrefix?: string;
}

class FeatureRules implements Record<keyof KopfFeatureOptions, unknown> {
  @Rule(isList) indices: unknown;
  @Rule(isList) apis: unknown;
  @Rule(isText) operator: unknown;
  @Rule(
    must(
      'a text that begins and ends with a letter or a digit, and has only letters, digits, -, _, ., and /',
      (value) => typeof value === 'string' && findInvalidIds([value]).length === 0,
    ),
  )
  idPrefix: unknown;
}

/**
 * The module that provides indices and typed APIs to the modules that import it. Each of these modules lists them, as a decorator does not
 * know in which application of the process its class is used. The explorer reads the prefix of ids.
 */
@Module({})
export class KopfFeatureModule {
  /** @throws KopfOptionsError that names every invalid option. */
  static register(options: KopfFeatureOptions): DynamicModule {
    checkOptions(FeatureRules, options, 'KopfModule.forFeature()');
    const { indices = [], apis = [], operator = DEFAULT_OPERATOR, idPrefix } = options;
    const features = [
      ...indices.map((name) => provideIndex(name, operator)),
      ...apis.map((type) => provideKubeApi(type, operator)),
    ];
    // A prefix alone needs no operator, so that the module can be tested without one.
    const required = features.length > 0 ? [requireOperators('KopfModule.forFeature()', [operator])] : [];
    return {
      module: KopfFeatureModule,
      providers: [...required, ...features, ...provideIdPrefix(idPrefix)],
      exports: features.map(({ provide }) => provide),
    };
  }
}

function provideIndex(name: string, operator: string): FactoryProvider {
  return {
    provide: getIndexToken(name, operator),
    useFactory: (registry: IndexRegistry) => registry.get(name),
    inject: [operatorTokenOf(operator, IndexRegistry)],
  };
}

function provideKubeApi(type: KubeApiClass, operator: string): FactoryProvider {
  const useFactory = (apis: TypedApis) => apis.get(type);
  return { provide: getKubeApiToken(type, operator), useFactory, inject: [operatorTokenOf(operator, TypedApis)] };
}

function provideIdPrefix(idPrefix: string | undefined): Provider[] {
  return idPrefix === undefined ? [] : [{ provide: KOPF_ID_PREFIX, useValue: idPrefix }];
}
