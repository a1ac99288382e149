import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readPlans } from 'nestjs-kopf-simulation';
import { kopfMatchers } from 'nestjs-kopf/testing';
import { runTarget } from './targets/simulation.target.js';
import { findTarget } from './targets/targets.js';

expect.extend(kopfMatchers);

const PLANS = join(import.meta.dirname, 'plans');

describe('Plans that have found something once', () => {
  const files = readdirSync(PLANS).filter((file) => file.endsWith('.json'));

  it.each(files)('should find nothing any more: %s', async (file) => {
    // The name is that of the target, and what it was about: load-tests.status-fields.json
    const [name] = file.split('.');
    const plans = readPlans(join(PLANS, file));
    expect(await runTarget(findTarget(name), { plans })).toHaveNoFindings();
  });
});
