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

/** Configures the routes of the health; they must be known before the application starts. */
export interface KopfHealthControllerOptions {
  /**
   * Names the operator whose health it is, if it has a name. Import the module once for each operator; the indicator of one with a name is
   * injected by `@InjectOperator(name, KopfHealthIndicator)`. @default the operator without a name
   */
  operator?: string;
  /**
   * Names several operators instead, for one probe of all of them: the routes report on each under its key, and the worst counts. The limits are
   * the same for all. `'default'` is the operator without a name. @default the one operator
   */
  operators?: readonly string[];
  /** Serves the health over HTTP. @default false */
  controller?: boolean;
  /** Sets the path of the liveness probe. @default 'healthz', or 'healthz/{operator}' */
  livenessPath?: string;
  /** Sets the path of the readiness probe. @default 'readyz', or 'readyz/{operator}' */
  readinessPath?: string;
  /** Guards of the endpoints: classes that are providers of the application's or of the imported modules, or instances. */
  guards?: readonly (Type<CanActivate> | CanActivate)[];
  /** Other decorators of the endpoints' controller, such as those that exempt it from the application's global guards. */
  decorators?: readonly ClassDecorator[];
  /** Serves the endpoints under the global prefix of the application; with `false`, at the root, where probes expect them. @default true */
  globalPrefix?: boolean;
}

/** Configures how the health of the operator is evaluated. */
export interface KopfHealthLimits {
  /** The operator's name in the reports; not for several operators. @default 'kopf', or 'kopf-{operator}' */
  key?: string;
  /**
   * Limits for how many seconds the event loop may be blocked. Beyond, the operator counts as not alive, until nothing has
   * blocked it for `eventLoopLagWindow`. @default 5
   */
  maxEventLoopLag?: number;
  /** Remembers a blocked event loop for so many seconds. @default 30 */
  eventLoopLagWindow?: number;
  /**
   * Counts the operator as not alive if nothing comes from the API server for so many seconds for any of the watched resources.
   * Servers send bookmarks about each minute, and a silent connection is replaced after `watching.inactivityTimeout`, so a
   * longer silence says that neither helps. @default 300
   */
  watchStaleAfter?: number;
  /**
   * Counts a service as ready while its operator does not work on purpose: it was stopped by `KopfOperator.stop()`, or not started
   * yet, with `enabled: false`. While the application itself is closing, it is never ready. @default false
   */
  readyWhenStopped?: boolean;
  /** Reuses the result of a probe handler for so many seconds before it is called again. @default 10 */
  probeCacheTtl?: number;
  /** Limits for how many seconds a probe handler is waited for if it has no `timeout` of its own. @default 5 */
  probeTimeout?: number;
}

/** Configures how the health of the operator is evaluated and shown. */
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
 * Puts the options over the defaults.
 *
 * @throws KopfOptionsError that names every bad option.
 */
export function createHealthSettings(options: Partial<HealthSettings>): HealthSettings {
  checkOptions(HealthSettings, options, 'KopfHealthModule');
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.assign(new HealthSettings(), namesFor(options.operator), Object.fromEntries(given));
}

/** The settings of one of the operators that are reported on together. */
export function settingsOf(operator: string, settings: HealthSettings): HealthSettings {
  return { ...settings, operator, key: namesFor(operator).key ?? settings.key };
}

function isListOfNames(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((name) => satisfies(name, isText));
}

/** Keeps the routes and the reports of several operators apart. */
function namesFor(operator = DEFAULT_OPERATOR): Partial<HealthSettings> {
  if (operator === DEFAULT_OPERATOR) return {};
  return { livenessPath: `healthz/${operator}`, readinessPath: `readyz/${operator}`, key: `kopf-${operator}` };
}
