import { KopfOptionsError } from '../common/options.error.js';

/** How the health of the operator is judged and shown. */
export interface KopfHealthOptions {
  /** Whether the health is served over HTTP. @default false */
  controller?: boolean;
  /** Where the liveness is served. @default 'healthz' */
  livenessPath?: string;
  /** Where the readiness is served. @default 'readyz' */
  readinessPath?: string;
  /** The operator's name in the reports. @default 'kopf' */
  key?: string;
  /**
   * How long the event loop may be blocked, in seconds; longer, and the operator counts as not alive, until nothing has blocked it
   * for `eventLoopLagWindow`. @default 5
   */
  lagLimit?: number;
  /** How long a blocked event loop is remembered, in seconds. @default 30 */
  eventLoopLagWindow?: number;
  /**
   * How long nothing may come from the API server for any of the watched resources, in seconds; longer, and the operator counts as
   * not alive. Servers send bookmarks about each minute, and a silent connection is replaced after `watching.inactivityTimeout`,
   * so more than this says that neither helps. @default 300
   */
  watchStaleAfter?: number;
  /** How long the answer of a probe handler is used before it is called again, in seconds. @default 10 */
  probeCacheTtl?: number;
  /** How long a probe handler is waited for if it has no `timeout` of its own, in seconds. @default 5 */
  probeTimeout?: number;
}

/** The options with all defaults. */
export type HealthSettings = Required<KopfHealthOptions>;

const DEFAULTS: HealthSettings = {
  controller: false,
  livenessPath: 'healthz',
  readinessPath: 'readyz',
  key: 'kopf',
  lagLimit: 5,
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
  lagLimit: seconds,
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
