import { KopfOptionsError } from '../common/kopf.errors.js';

/** Configures how the health of the operator is evaluated and shown. */
export interface KopfHealthOptions {
  /** Serves the health over HTTP. @default false */
  controller?: boolean;
  /** Sets the path of the liveness probe. @default 'healthz' */
  livenessPath?: string;
  /** Sets the path of the readiness probe. @default 'readyz' */
  readinessPath?: string;
  /** The operator's name in the reports. @default 'kopf' */
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
  /** Reuses the result of a probe handler for so many seconds before it is called again. @default 10 */
  probeCacheTtl?: number;
  /** Limits for how many seconds a probe handler is waited for if it has no `timeout` of its own. @default 5 */
  probeTimeout?: number;
}

/** The options with all defaults. */
export type HealthSettings = Required<KopfHealthOptions>;

const DEFAULTS: HealthSettings = {
  controller: false,
  livenessPath: 'healthz',
  readinessPath: 'readyz',
  key: 'kopf',
  maxEventLoopLag: 5,
  eventLoopLagWindow: 30,
  watchStaleAfter: 300,
  probeCacheTtl: 10,
  probeTimeout: 5,
};

const must =
  (type: string, requirement: string, isValid: (value: any) => boolean = () => true) =>
  (value: unknown): string | undefined =>
    typeof value === type && isValid(value) ? undefined : `must be ${requirement}`;

const text = must('string', 'a non-empty string', (value: string) => value !== '');
const seconds = must('number', 'a number of seconds above 0', (value: number) => value > 0);

const RULES: Record<keyof HealthSettings, (value: unknown) => string | undefined> = {
  controller: must('boolean', 'true or false'),
  livenessPath: text,
  readinessPath: text,
  key: text,
  maxEventLoopLag: seconds,
  eventLoopLagWindow: seconds,
  watchStaleAfter: seconds,
  probeCacheTtl: must('number', 'a number of seconds, not negative', (value: number) => value >= 0),
  probeTimeout: seconds,
};

/**
 * Puts the options over the defaults.
 *
 * @throws KopfOptionsError that names every bad option.
 */
export function createHealthSettings(options: KopfHealthOptions): HealthSettings {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  const violations = given.flatMap(([name, value]) => {
    if (!Object.hasOwn(RULES, name)) return [`health.${name} does not exist`];
    const violation = RULES[name as keyof HealthSettings](value);
    return violation ? [`health.${name} ${violation}`] : [];
  });
  if (violations.length > 0) throw new KopfOptionsError(violations);
  return { ...DEFAULTS, ...(Object.fromEntries(given) as KopfHealthOptions) };
}
