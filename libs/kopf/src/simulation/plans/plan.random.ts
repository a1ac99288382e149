import { SeededRandom } from '../../common/random.js';
import type { RunRecord } from '../run/simulation.run.js';
import type { SimulationFault, SimulationPlan } from '../simulation.plan.js';

/** The most faults of one plan. */
const FAULTS_LIMIT = 4;

/** Draws plans from a seed: several faults each, with delays of requests and events. They end with the workload. */
export function* randomPlans(clean: RunRecord, count: number, seed: number): Generator<SimulationPlan> {
  for (let index = 0; index < count; index++) {
    const random = new SeededRandom(seed + index);
    const faults = Array.from({ length: 1 + draw(random, FAULTS_LIMIT) }, () => drawFault(random, clean));
    yield { seed: seed + index, faults: faults.filter((fault) => fault !== undefined), delays: draw(random, 2) === 0 };
  }
}

function drawFault(random: SeededRandom, clean: RunRecord): SimulationFault | undefined {
  const { writes, attempts, changes, watched } = clean;
  const kinds = ['crash', 'crash', 'lost-answer', 'conflict', 'error', 'stale', 'stale', 'skip'] as const;
  const kind = kinds[draw(random, kinds.length)];
  switch (kind) {
    case 'crash':
      return { kind, afterWrite: 1 + draw(random, writes), downtime: [0.1, 1, 30][draw(random, 3)] };
    case 'lost-answer':
      return { kind, ofWrite: 1 + draw(random, writes) };
    case 'conflict':
      return { kind, beforeAttempt: 1 + draw(random, attempts), times: 1 + draw(random, 3) };
    case 'error': {
      const status = [409, 429, 500, 503][draw(random, 4)]!;
      return { kind, ofAttempt: 1 + draw(random, attempts), status, times: 1 + draw(random, 3) };
    }
    default: {
      const candidates = changes.filter(({ resource, isTransient }) => !isTransient && watched.has(resource));
      const change = candidates[draw(random, candidates.length)];
      if (!change) return undefined;
      const { resource, number: fromChange } = change;
      const untilChange = fromChange + 1 + draw(random, 8);
      if (kind === 'stale') return { kind, resource, fromChange, ...(draw(random, 2) && { untilChange }) };
      return { kind, resource, fromChange, untilChange };
    }
  }
}

function draw(random: SeededRandom, count: number): number {
  return Math.floor(random.next() * count);
}
