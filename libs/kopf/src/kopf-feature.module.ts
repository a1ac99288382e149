import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import type { KubeApiClass } from './client/api/typed.api.factory.js';
import { TypedApis } from './client/api/typed.apis.js';
import { getIndexToken } from './decorators/inject-index.decorator.js';
import { getKubeApiToken } from './decorators/inject-kube-api.decorator.js';
import { KopfOptionsError } from './common/kopf.errors.js';
import { IndexRegistry } from './indexing/index.registry.js';
import { KOPF_ID_PREFIX } from './kopf.tokens.js';
import { findOptionViolations, isList, must, Rule } from './settings/option.validation.js';
import { findInvalidIds } from './state/annotation-keys.js';

/** Configures one module of the application: what it injects, and the ids of its handlers. */
export interface KopfFeatureOptions {
  /** The names of indices. Each must be kept by a method with `@Index()`, anywhere in the application. */
  readonly indices?: readonly string[];
  /** The classes of typed APIs of `@kubernetes/client-node`. Each has one instance in an application. */
  readonly apis?: readonly KubeApiClass[];
  /**
   * Begins the ids of all handlers on the providers and controllers of the module that imports this: `create` becomes `billing/create`,
   * so that two modules can have handlers of one name for one resource. Names of indices stay as they are. The progress of handlers is stored
   * on objects under their ids: if the prefix changes, handlers under way begin anew. @default none
   */
  readonly idPrefix?: string;
}

class FeatureRules implements Record<keyof KopfFeatureOptions, unknown> {
  @Rule(isList) indices: unknown;
  @Rule(isList) apis: unknown;
  @Rule(
    must(
      'a text that begins and ends with a letter or a digit, and has only letters, digits, -, _, ., and /',
      (value) => typeof value === 'string' && findInvalidIds([value]).length === 0,
    ),
  )
  idPrefix: unknown;
}

/**
 * Provides indices and typed APIs to the modules that import it. They are named by each of these modules, and not collected from the
 * decorators, as classes do not know in which of the applications of a process they are used. The prefix of ids is found by the explorer.
 */
@Module({})
export class KopfFeatureModule {
  /** @throws KopfOptionsError that names every bad option. */
  static register(options: KopfFeatureOptions): DynamicModule {
    const violations = findOptionViolations(FeatureRules, options);
    if (violations.length > 0) throw new KopfOptionsError(violations, 'KopfModule.forFeature()');
    const { indices = [], apis = [], idPrefix } = options;
    const providers = [...indices.map(provideIndex), ...apis.map(provideKubeApi), ...provideIdPrefix(idPrefix)];
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

function provideIdPrefix(idPrefix: string | undefined): Provider[] {
  return idPrefix === undefined ? [] : [{ provide: KOPF_ID_PREFIX, useValue: idPrefix }];
}
