import { type FieldError, invalidField } from '../../errors/field.error.js';
import { BASELINE_CHECKS } from './baseline.checks.js';
import { RESTRICTED_CHECKS } from './restricted.checks.js';
import type { CheckedPod, SecurityCheck, SecurityViolation } from './security.check.js';

const PREFIX = 'pod-security.kubernetes.io/';
const LEVELS = ['privileged', 'baseline', 'restricted'] as const;
const CHECKS: Readonly<Record<Level, readonly SecurityCheck[]>> = {
  privileged: [],
  baseline: BASELINE_CHECKS,
  restricted: RESTRICTED_CHECKS,
};

type Level = (typeof LEVELS)[number];
type Labels = Readonly<Record<string, string>> | undefined;

/** A standard in a version. All versions are taken for the latest one. */
export class SecurityStandard {
  constructor(
    readonly level: Level,
    readonly version: string,
  ) {}

  /** Returns the standard as messages name it: `restricted:latest`. */
  toString(): string {
    return `${this.level}:${this.version}`;
  }

  violations(pod: CheckedPod): SecurityViolation[] {
    return CHECKS[this.level].flatMap((check) => check(pod) ?? []);
  }

  /** Whether this standard may forbid what the other one allows. */
  isStricterThan(other: SecurityStandard): boolean {
    if (this.level === 'privileged' || this.toString() === other.toString()) return false;
    return this.version !== other.version || LEVELS.indexOf(this.level) > LEVELS.indexOf(other.level);
  }
}

/** The standards that the labels of a namespace ask for. */
export interface SecurityPolicy {
  readonly enforce: SecurityStandard;
  readonly warn: SecurityStandard;
  readonly errors: readonly FieldError[];
}

/** Reads the labels of a namespace. A level that is none counts as the strictest one where it is enforced, as on the real server. */
export function securityPolicy(labels: Labels): SecurityPolicy {
  const errors: FieldError[] = [];
  const enforce = standard(labels, 'enforce', 'restricted', errors);
  standard(labels, 'audit', 'privileged', errors);
  const warn = standard(labels, 'warn', 'privileged', errors);
  const given = labels?.[`${PREFIX}warn`] !== undefined;
  const isWrong = errors.some(({ field }) => field === fieldOf(`${PREFIX}enforce`));
  if (given || isWrong || enforce.level === 'privileged') return { enforce, warn, errors };
  // Where nothing else is asked for, clients are warned of workloads whose pods would be rejected.
  const version = labels?.[`${PREFIX}warn-version`] === undefined ? enforce.version : warn.version;
  return { enforce, warn: new SecurityStandard(enforce.level, version), errors };
}

function standard(labels: Labels, mode: string, fallback: Level, errors: FieldError[]): SecurityStandard {
  const key = `${PREFIX}${mode}`;
  const level = labels?.[key];
  const isLevel = level === undefined || LEVELS.includes(level as Level);
  if (!isLevel) errors.push(invalidField(fieldOf(key), level, `must be one of ${LEVELS.join(', ')}`));
  const version = labels?.[`${key}-version`];
  const isVersion = version === undefined || /^(latest|v1\.\d+)$/.test(version);
  if (!isVersion) errors.push(invalidField(fieldOf(`${key}-version`), version, 'must be "latest" or "v1.x"'));
  const known = (level ?? 'privileged') as Level;
  return new SecurityStandard(isLevel ? known : fallback, isVersion ? (version ?? 'latest') : 'latest');
}

function fieldOf(label: string): string {
  return `metadata.labels[${label}]`;
}
