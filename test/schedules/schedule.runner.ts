import { ATTEMPTS_LIMIT } from './handler.script.js';
import { findBackgroundErrors } from './invariants/background.invariant.js';
import { findDeletionErrors } from './invariants/deletion.invariant.js';
import { findEffectErrors, findLostResults } from './invariants/effect.invariant.js';
import { findIndexErrors } from './invariants/index.invariant.js';
import { findLeftovers } from './invariants/rest.invariant.js';
import { findUnresumed } from './invariants/resume.invariant.js';
import { findUnseenStates } from './invariants/state.invariant.js';
import type { SchedulePlan } from './schedule.plan.js';
import { ScheduleWorld } from './schedule.world.js';

/** Limits for how many virtual minutes the operator may be at work after the last fault. */
const SETTLING_LIMIT = 60;
/** Limits the writes of one object in a minute, apart from those for each attempt of a handler: more of them are a loop. */
const PACE_LIMIT = 120;
/** Limits the writes for one attempt of a handler: two of the status, one of the object, one of the event handlers that they wake up. */
const WRITES_PER_ATTEMPT = 4;

/** The result of running a schedule. */
export interface ScheduleOutcome {
  /** The violations; each begins with the name of the invariant and a colon. */
  readonly violations: readonly string[];
  /** The faults that have really happened, by their kinds. */
  readonly hits: Readonly<Record<string, number>>;
  /** Counts the calls of handlers of changes. */
  readonly calls: number;
  /** The most writes of one object in a minute. */
  readonly busiest: number;
  /** Virtual minutes from the last fault to the rest. */
  readonly settlingMinutes: number;
  readonly lines: readonly string[];
}

/** Runs a schedule to its rest, and looks at what is left. */
export async function runSchedule(plan: SchedulePlan, isVerbose = false): Promise<ScheduleOutcome> {
  const rejections: string[] = [];
  const onRejection = (error: unknown): void => void rejections.push(`unhandled rejection: ${String(error)}`);
  process.on('unhandledRejection', onRejection);
  const world = new ScheduleWorld(plan, isVerbose);
  try {
    const effects = new Set<string>();
    const ready = (): void =>
      world.history.onState((past, object) => findEffectErrors(past, object).forEach((text) => effects.add(text)));
    await world.run(ready);
    const settlingMinutes = await settle(world);
    const busiest = Math.max(...world.lives.map(({ transport }) => transport.busiest));
    const loops = busiest > paceLimitOf(plan) ? [`hot loop: ${busiest} writes of one object in a minute`] : [];
    const violations = [
      ...world.calls.violations,
      ...world.background.violations,
      ...world.ledger.violations,
      ...effects,
      ...loops,
      ...findCurrentViolations(world),
      ...rejections,
    ];
    const { calls, faults, logger } = world;
    return { violations, hits: faults.hits, calls: calls.calls.length, busiest, settlingMinutes, lines: logger.lines };
  } finally {
    await world.close();
    process.off('unhandledRejection', onRejection);
  }
}

/** Lets time pass until everything is as it should be, and then some more, to see that it stays so. */
async function settle(world: ScheduleWorld): Promise<number> {
  let minute = 0;
  while (minute < SETTLING_LIMIT) {
    minute += 1;
    await world.advance(60);
    if (findCurrentViolations(world).length > 0) continue;
    await world.advance(90);
    if (findCurrentViolations(world).length === 0) break;
  }
  return minute;
}

function findCurrentViolations(world: ScheduleWorld): readonly string[] {
  if (world.operator.state !== 'running') return [`operator: it is ${world.operator.state}`];
  return [
    ...findUnseenStates(world),
    ...findLeftovers(world),
    ...findDeletionErrors(world),
    ...findBackgroundErrors(world),
    ...findIndexErrors(world),
    ...findLostResults(world),
    ...findUnresumed(world),
  ];
}

/** The retries of a handler and of its sub-handlers may all fall into one minute. */
function paceLimitOf({ operator }: SchedulePlan): number {
  const attempts = operator.handlers.map(({ children }) => (1 + children) * ATTEMPTS_LIMIT);
  return PACE_LIMIT + WRITES_PER_ATTEMPT * attempts.reduce((sum, count) => sum + count, 0);
}
