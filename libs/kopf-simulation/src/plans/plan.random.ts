import { SeededRandom } from 'kube-common';
import type { RunRecord } from '../run/run.record.js';
import type { FaultPosition, Intervention, SimulationFault, SimulationPlan } from '../simulation.plan.js';
import { hasDependants } from './collection.plans.js';
import { drawRepairFault } from './repair.plans.js';
import { drawDrift, driftSites, recreationSites } from './intervention.plans.js';

/** The most faults of one plan. */
const FAULTS_LIMIT = 4;

/** The kinds to draw from. Those that find most are there several times. */
const KINDS = [
  'crash',
  'crash',
  'crash',
  'lost-answer',
  'conflict',
  'error',
  'outage',
  'webhook-down',
  'freeze',
  'clock-jump',
  'stale',
  'stale',
  'missed-events',
  'recreate',
  'drift',
] as const;
/** Seconds by which clocks jump: corrections of the time, and of a clock that was never set. */
const CLOCK_JUMPS = [-3600, -30, -1, 1, 30, 3600];

/** One in this many plans has a fault after which the operator has to repair its own state: a rejected patch, a burst of 401, a wrong clock. */
const REPAIRED = 3;

/** One in this many plans is a variation of a plan that was kept. */
const VARIED = 3;

/**
 * Draws plans from a seed, with several faults each, and with delays of requests and events. The faults end with the workload.
 *
 * @param kept the plans so far that have led handlers into new situations; the list grows while plans are run. Some of the following plans are
 *   variations of these, as rare situations are found near other rare ones.
 */
export function* randomPlans(
  clean: RunRecord,
  count: number,
  seed: number,
  { replicas = 1, kept = [] }: { readonly replicas?: number; readonly kept?: readonly SimulationPlan[] } = {},
): Generator<SimulationPlan> {
  const hasOwners = hasDependants(clean);
  for (let index = 0; index < count; index++) {
    const random = new SeededRandom(seed + index);
    const faults = Array.from({ length: 1 + draw(random, FAULTS_LIMIT) }, () => drawFault(random, clean, replicas));
    const delays = draw(random, 2) === 0;
    if (hasOwners && draw(random, 3) === 0)
      faults.push({ kind: 'late-collection', afterChange: draw(random, clean.changes.length) });
    // This is drawn after the others, so that their draws stay as they are.
    if (draw(random, REPAIRED) === 0) faults.push(drawRepairFault(random, clean, replicas));
    const drawn = { seed: seed + index, faults: faults.filter((fault) => fault !== undefined), delays };
    const isVariation = kept.length > 0 && draw(random, VARIED) === 0;
    yield isVariation ? vary(random, pick(random, kept), drawn) : drawn;
  }
}

/** Varies a plan that was kept: gives it another seed, and adds a fault of the drawn plan or replaces one by it. */
function vary(
  random: SeededRandom,
  { faults }: SimulationPlan,
  { faults: others, ...drawn }: SimulationPlan,
): SimulationPlan {
  const isFull = faults.length >= FAULTS_LIMIT || draw(random, 2) === 0;
  const left = isFull ? faults.toSpliced(draw(random, faults.length), 1) : faults;
  return { ...drawn, faults: [...left, ...others.slice(0, 1)] };
}

function drawFault(random: SeededRandom, clean: RunRecord, replicas: number): SimulationFault | undefined {
  const { writes, requests, reads, reviews } = clean;
  const kind = KINDS[draw(random, KINDS.length)]!;
  switch (kind) {
    case 'crash':
      return { kind, ...drawPosition(random, clean), downtime: pick(random, [0.1, 1, 30]) };
    case 'freeze':
      return { kind, ...drawPosition(random, clean), seconds: pick(random, [1, 20, 60, 300]) };
    case 'lost-answer':
      return { kind, ofWrite: 1 + draw(random, writes) };
    case 'conflict': {
      const stays = draw(random, 2) === 0;
      return {
        kind,
        beforeAttempt: 1 + draw(random, requests.length),
        times: 1 + draw(random, 3),
        ...(stays && { stays }),
      };
    }
    case 'error': {
      const status = pick(random, [401, 409, 429, 500, 503]);
      const retryAfter = status === 429 || status === 503 ? pick(random, [undefined, 1, 30]) : undefined;
      const attempt = { ofAttempt: 1 + draw(random, requests.length) };
      const times = 1 + draw(random, 3);
      // An API server answers no reading request with a conflict.
      const isRead = draw(random, 3) === 0 && status !== 409;
      const position = isRead ? { ofRead: 1 + draw(random, reads.length) } : attempt;
      return { kind, status, ...position, times, ...(retryAfter !== undefined && { retryAfter }) };
    }
    case 'outage':
      return { kind, afterChange: 1 + draw(random, clean.changes.length), seconds: pick(random, [1, 30, 300]) };
    case 'webhook-down':
      if (reviews === 0) return undefined;
      return { kind, fromReview: 1 + draw(random, reviews), seconds: pick(random, [1, 10, 30]) };
    case 'clock-jump': {
      const replica = replicas > 1 ? { replica: 1 + draw(random, replicas) } : {};
      return { kind, afterChange: draw(random, clean.changes.length), seconds: pick(random, CLOCK_JUMPS), ...replica };
    }
    case 'recreate':
    case 'drift':
      return drawIntervention(random, clean, kind);
    default:
      return drawPartition(random, clean, kind);
  }
}

/** Draws the write or the request at which a process is hit. */
function drawPosition(random: SeededRandom, { writes, requests }: RunRecord): FaultPosition {
  if (draw(random, 3) > 0) return { afterWrite: 1 + draw(random, writes) };
  return { beforeAttempt: 1 + draw(random, requests.length) };
}

function drawPartition(
  random: SeededRandom,
  { changes, watched }: RunRecord,
  kind: 'stale' | 'missed-events',
): SimulationFault | undefined {
  const candidates = changes.filter(({ resource, isTransient }) => !isTransient && watched.has(resource));
  const change = candidates[draw(random, candidates.length)];
  if (!change) return undefined;
  const { resource, number: fromChange } = change;
  const untilChange = fromChange + 1 + draw(random, 8);
  if (kind === 'stale') return { kind, resource, fromChange, ...(draw(random, 2) && { untilChange }) };
  return { kind, resource, fromChange, untilChange };
}

function drawIntervention(
  random: SeededRandom,
  clean: RunRecord,
  kind: Intervention['kind'],
): SimulationFault | undefined {
  const sites = kind === 'recreate' ? recreationSites(clean) : driftSites(clean);
  const site = sites[draw(random, sites.length)];
  if (!site) return undefined;
  const { object, created, end } = site;
  const afterChange = created.number + draw(random, end - created.number);
  if (kind === 'recreate') return { kind, ...object, afterChange };
  const patch = draw(random, 2) === 0 ? drawDrift(random, created) : undefined;
  return { kind, ...object, afterChange, ...(patch && { patch }) };
}

function pick<T>(random: SeededRandom, values: readonly T[]): T {
  return values[draw(random, values.length)]!;
}

function draw(random: SeededRandom, count: number): number {
  return Math.floor(random.next() * count);
}
