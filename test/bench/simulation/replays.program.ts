import { simulate } from 'nestjs-kopf-simulation';
import { FAULT_KINDS, replayPlans, replayWorkload, storingModule } from '../../simulation/replay.world.js';

const [replays = '100'] = process.argv.slice(2);

// The digest covers the runs without faults, too.
const digests = new Map<string, number>();
for (let replay = 0; replay < Number(replays); replay += 1) {
  const plans = replayPlans(3);
  const { digest, coverage } = await simulate(
    storingModule(() => 1),
    { workload: replayWorkload, plans },
  );
  const missing = FAULT_KINDS.filter((kind) => !coverage.faults[kind]);
  if (missing.length > 0) throw new Error(`The plans have not led to faults of the kinds ${missing.join(', ')}.`);
  digests.set(digest, (digests.get(digest) ?? 0) + 1);
}
for (const [digest, count] of digests) console.log(`Node ${process.version}: ${count} of ${replays} have ${digest}`);
process.exitCode = digests.size === 1 ? 0 : 1;
