import type { CanActivate, FactoryProvider, ModuleMetadata, Type } from '@nestjs/common';
import type { OpenMetricsContentType, PrometheusContentType, Registry } from 'prom-client';
import type { CycleMessage, HandlerMessage, RequestMessage } from '../diagnostics/channels.js';
import { DEFAULT_OPERATOR } from '../kopf.tokens.js';
import { ControllerModuleRules, listSyncOptions } from '../settings/controller-module.rules.js';
import { checkOptions, isFlag, isFunction, must, Rule } from '../settings/option.validation.js';

/** A registry of prom-client, for either format. */
export type MetricsRegistry = Registry<PrometheusContentType> | Registry<OpenMetricsContentType>;

/** The work whose duration can have an exemplar: an attempt of a handler, an event cycle, or a request. */
export type ExemplarMessage = HandlerMessage | CycleMessage | RequestMessage;

/**
 * The function that returns the labels of an exemplar, such as `trace_id`, for work that has just ended; `undefined` for none. The labels
 * have at most 128 characters together, names included; longer ones are left out. It is called within the storages that are bound to the
 * channel of the start.
 */
export type ExemplarSource = (message: ExemplarMessage) => Record<string, string> | undefined;

/** The options of the route of the metrics; it must be known before the application starts. */
export interface KopfMetricsControllerOptions {
  /** Whether the metrics are served over HTTP; otherwise they are only in the registry. @default true */
  controller?: boolean;
  /**
   * The name of the operator, if it has one. Import the module once for each operator; the metrics of an operator with a name are injected
   * by `@InjectOperator(name, KopfMetrics)`. @default the operator without a name
   */
  operator?: string;
  /** The path of the metrics. @default 'metrics', or 'metrics/{operator}' */
  path?: string;
  /** Whether the metrics are under the global prefix of the application; with `false`, at the root. @default true */
  globalPrefix?: boolean;
  /** Guards of the controller: classes that are providers of the application's or of the imported modules, or instances. */
  guards?: readonly (Type<CanActivate> | CanActivate)[];
  /** Other decorators of the controller, such as those that exempt it from the application's global guards. */
  decorators?: readonly ClassDecorator[];
}

/** The registry of the metrics, and the exemplars. */
export interface KopfMetricsCollection {
  /**
   * The registry that the metrics are added to, such as prom-client's `register`.
   * @default a separate one, which has only the operator's metrics; in OpenMetrics format if there are exemplars
   */
  registry?: MetricsRegistry;
  /** The exemplars of the durations of handlers, event cycles, and requests. Only OpenMetrics shows them. @default none */
  exemplars?: ExemplarSource;
}

/** The options of `KopfMetricsModule.forRoot()`. */
export interface KopfMetricsOptions
  extends KopfMetricsControllerOptions, KopfMetricsCollection, Pick<ModuleMetadata, 'imports' | 'providers'> {}

/** The factory of the options of the metrics but for those of the route; to be implemented by a provider of the application. */
export interface KopfMetricsOptionsFactory {
  createKopfMetricsOptions(): KopfMetricsCollection | Promise<KopfMetricsCollection>;
}

/** The options of `KopfMetricsModule.forRootAsync()`. What the route needs is given here. */
export interface KopfMetricsAsyncOptions
  extends KopfMetricsControllerOptions, Pick<ModuleMetadata, 'imports' | 'providers'> {
  /** Creates the rest of the options from the injected providers. */
  useFactory?: (...args: any[]) => KopfMetricsCollection | Promise<KopfMetricsCollection>;
  inject?: FactoryProvider['inject'];
  /** The class of a provider that is created to make the rest of the options. */
  useClass?: Type<KopfMetricsOptionsFactory>;
  /** The class of a provider in the imported modules that makes the rest of the options. */
  useExisting?: Type<KopfMetricsOptionsFactory>;
}

/** The route of the metrics. */
export type MetricsRoute = Required<
  Pick<KopfMetricsControllerOptions, 'operator' | 'controller' | 'path' | 'globalPrefix'>
>;

/** Injection token of the route, in the module of each operator. */
export const KOPF_METRICS_ROUTE = Symbol('KOPF_METRICS_ROUTE');

/** Injection token of the options that are made when the application starts. */
export const KOPF_METRICS_COLLECTION = Symbol('KOPF_METRICS_COLLECTION');

/** The rules of the options that are known before the application starts. */
class MetricsModuleRules extends ControllerModuleRules implements Record<keyof KopfMetricsAsyncOptions, unknown> {
  @Rule(isFlag) controller: unknown;
  @Rule(isFlag) globalPrefix: unknown;
}

/** The rules of the options that are made when the application starts. */
class CollectionRules implements Record<keyof KopfMetricsCollection, unknown> {
  @Rule(must('a Registry of prom-client', (value) => typeof (value as Registry | null)?.registerMetric === 'function'))
  registry: unknown;
  @Rule(isFunction) exemplars: unknown;
}

/** The options of `forRoot()`. */
export const METRICS_SYNC_OPTIONS = listSyncOptions(MetricsModuleRules, CollectionRules);

/**
 * Checks the options of the module.
 *
 * @param known the names that a wrong one is compared with. @default those of `forRootAsync()`
 * @throws KopfOptionsError that names every bad option.
 */
export function checkMetricsOptions(options: KopfMetricsAsyncOptions, known?: readonly string[]): void {
  checkOptions(MetricsModuleRules, options, 'KopfMetricsModule', { known });
}

/** Completes the options of the route with defaults, by which several operators have separate routes. */
export function createMetricsRoute({
  operator = DEFAULT_OPERATOR,
  controller = true,
  path = operator === DEFAULT_OPERATOR ? 'metrics' : `metrics/${operator}`,
  globalPrefix = true,
}: KopfMetricsControllerOptions): MetricsRoute {
  return { operator, controller, path, globalPrefix };
}

/**
 * Checks the registry and the exemplars.
 *
 * @throws KopfOptionsError that names every bad option.
 */
export function checkCollection(collection: KopfMetricsCollection): KopfMetricsCollection {
  checkOptions(CollectionRules, collection, 'KopfMetricsModule');
  return collection;
}
