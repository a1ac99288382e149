import { ERRORS } from './error.cases.js';
import type { RegressionCase } from './regression.case.js';
import { INTERFERENCE } from './interference.cases.js';
import { INTERMEDIATE } from './intermediate.cases.js';
import { KOPF } from './kopf.cases.js';
import { MISSED } from './missed.cases.js';
import { OUTAGES } from './outage.cases.js';
import { OUTDATED } from './outdated.cases.js';
import { STALE } from './stale.cases.js';
import { UNDESIRED } from './undesired.cases.js';
import { UNFINISHED } from './unfinished.cases.js';
import { UNOBSERVED } from './unobserved.cases.js';

/** All regression cases. */
export const REGRESSION_CASES: readonly RegressionCase[] = [
  ...INTERMEDIATE,
  ...UNFINISHED,
  ...STALE,
  ...OUTDATED,
  ...UNOBSERVED,
  ...MISSED,
  ...UNDESIRED,
  ...ERRORS,
  ...OUTAGES,
  ...INTERFERENCE,
  ...KOPF,
];
