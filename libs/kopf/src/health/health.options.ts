import type { CanActivate, ModuleMetadata, Type } from '@nestjs/common';
import { DEFAULT_OPERATOR } from '../kopf.tokens.js';
import {
  checkOptions,
  excludes,
  isDuration,
  isFlag,
  isList,
  isSeconds,
  isText,
  must,
  Rule,
  satisfies,
} from '../settings/option.validation.js';

/** The options of the routes of the health; they must be known before the application starts. */
export interface KopfHealthControllerOptions {
  /**
   * The name of the operator, if it has one. Import the module once for each operator; the indicator of an operator with a name is injected
   * by `@InjectOperator(name, KopfHealthIndicator)`. @default the operator without a name
   */
  operator?: string;
  /**
   * Several operators instead, for one probe of all of them: the routes report on each under its key, and the worst counts. The limits are
   * the same for all. `'default'` is the operator without a name. @default the one operator
   */
  operators?: readonly string[];
  /** Whether the health is served over HTTP. @default false */
  controller?: boolean;
  /** The path of the liveness probe. @default 'healthz', or 'healthz/{operator}' */
  livenessPath?: string;
  /** The path of the readiness probe. @default 'readyz', or 'readyz/{operator}' */
  readinessPath?: string;
  /** Guards of the endpoints: classes that are providers of the application's or of the imported modules, or instances. */
  guards?: readonly (Type<CanActivate> | CanActivate)[];
  /** Other decorators of the endpoints' controller, such as those that exempt it from the application's global guards. */
  decorators?: readonly ClassDecorator[];
  /**
   * Whether the endpoints are under the global prefix of the application; with `false`, at the root, where probes expect them. @default
   * true
   */
  globalPrefix?: boolean;
}

/** The options of the evaluation of the operator's health. */
export interface KopfHealthLimits {
  /** The operator's name in the reports; not for several operators. @default 'kopf', or 'kopf-{operator}' */
  key?: string;
  /**
   * The seconds for which the event loop may be blocked. Beyond, the operator counts as not alive, until nothing has
   * blocked it for `eventLoopLagWindow`. @default 5
   */
  maxEventLoopLag?: number;
  /** The seconds for which a blocked event loop counts. @default 30 */
  eventLoopLagWindow?: number;
  /**
   * The seconds without anything from the API server, for any of the watched resources, after which the operator counts as not alive.
   * Servers send bookmarks about each minute, and a silent connection is replaced after `watching.inactivityTimeout`, so a
   * longer silence says that neither helps. @default 300
   */
  watchStaleAfter?: number;
  /**
   * Whether a service counts as ready while its operator does not work on purpose: it was stopped by `KopfOperator.stop()`, or not started
   * yet, with `enabled: false`. While the application itself is closing, it is never ready. @default false
   */
  readyWhenStopped?: boolean;
  /** The seconds for which the result of a probe handler is reused before it is called again. @default 10 */
  probeCacheTtl?: number;
  /** The seconds after which a call of a probe handler without a `timeout` is given up. @default 5 */
  probeTimeout?: number;
}

/** The options of the health of the operator. */
export interface KopfHealthOptions
  extends KopfHealthLimits, KopfHealthControllerOptions, Pick<ModuleMetadata, 'imports' | 'providers'> {}

/** The options with all defaults, and the rules for them; without the modules and providers that guards need. */
export class HealthSettings implements Required<KopfHealthLimits & KopfHealthControllerOptions> {
  @Rule(isText) operator = DEFAULT_OPERATOR;
  @Rule(must('a list of names', isListOfNames), excludes('operator', 'key')) operators: readonly string[] = [];
  @Rule(isFlag) controller = false;
  @Rule(isText) livenessPath = 'healthz';
  @Rule(isText) readinessPath = 'readyz';
  @Rule(isList) guards: readonly (Type<CanActivate> | CanActivate)[] = [];
  @Rule(isList) decorators: readonly ClassDecorator[] = [];
  @Rule(isFlag) globalPrefix = true;
  @Rule(isText) key = 'kopf';
  @Rule(isDuration) maxEventLoopLag = 5;
  @Rule(isDuration) eventLoopLagWindow = 30;
  @Rule(isDuration) watchStaleAfter = 300;
  @Rule(isFlag) readyWhenStopped = false;
  @Rule(isSeconds) probeCacheTtl = 10;
  @Rule(isDuration) probeTimeout = 5;
}

/**
 * Completes the options with the defaults.
 *
 * @throws KopfOptionsError that names every bad option.
 */
export function createHealthSettings(options: Partial<HealthSettings>): HealthSettings {
  checkOptions(HealthSettings, options, 'KopfHealthModule');
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.assign(new HealthSettings(), namesFor(options.operator), Object.fromEntries(given));
}

/** Returns the settings of one operator: those that are given or, if several operators are reported on together, with its own key. */
export function settingsOf(operator: string, settings: HealthSettings): HealthSettings {
  if (settings.operators.length === 0) return settings;
  return { ...settings, operator, key: namesFor(operator).key ?? settings.key };
}

function isListOfNames(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((name) => satisfies(name, isText));
}

/** Creates the path and key by which several operators have separate routes and reports. */
function namesFor(operator = DEFAULT_OPERATOR): Partial<HealthSettings> {
  if (operator === DEFAULT_OPERATOR) return {};
  return { livenessPath: `healthz/${operator}`, readinessPath: `readyz/${operator}`, key: `kopf-${operator}` };
}
