import { ERRORS } from './error.exhibits.js';
import type { Exhibit } from './exhibit.js';
import { INTERFERENCE } from './interference.exhibits.js';
import { INTERMEDIATE } from './intermediate.exhibits.js';
import { KOPF } from './kopf.exhibits.js';
import { MISSED } from './missed.exhibits.js';
import { OUTAGES } from './outage.exhibits.js';
import { OUTDATED } from './outdated.exhibits.js';
import { STALE } from './stale.exhibits.js';
import { UNDESIRED } from './undesired.exhibits.js';
import { UNFINISHED } from './unfinished.exhibits.js';
import { UNOBSERVED } from './unobserved.exhibits.js';

/** All bugs of the museum. */
export const EXHIBITS: readonly Exhibit[] = [
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
