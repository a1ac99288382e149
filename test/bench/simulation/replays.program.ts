import { simulate, type SimulationPlan } from 'nestjs-kopf/simulation';
import { claimModule, claimOptions } from './claim.world.js';

const [replays = '100'] = process.argv.slice(2);

/** One plan with each kind of fault, with delays, which are drawn. */
const PLANS: readonly SimulationPlan[] = [
  {
    seed: 3,
    delays: true,
    faults: [
      { kind: 'stale', resource: 'ephemeralvolumeclaims.kopf.dev', fromChange: 2, untilChange: 4 },
      { kind: 'crash', afterWrite: 2 },
      { kind: 'lost-answer', ofWrite: 3 },
      { kind: 'conflict', beforeAttempt: 4 },
      { kind: 'error', ofAttempt: 6, status: 500 },
      { kind: 'skip', resource: 'ephemeralvolumeclaims.kopf.dev', fromChange: 6, untilChange: 8 },
    ],
  },
];

// The digest covers the runs without faults, too.
const digests = new Map<string, number>();
for (let replay = 0; replay < Number(replays); replay += 1) {
  const { digest } = await simulate(claimModule, { ...claimOptions, plans: PLANS });
  digests.set(digest, (digests.get(digest) ?? 0) + 1);
}
for (const [digest, count] of digests) console.log(`Node ${process.version}: ${count} of ${replays} have ${digest}`);
process.exitCode = digests.size === 1 ? 0 : 1;
