import { isFinal } from '../call.log.js';
import { fullId } from '../planned.operator.js';
import type { ScheduleWorld } from '../schedule.world.js';

/** Handlers for resuming are called, by each instance of the operator, for what was handled before it began. */
export function findUnresumed({
  history,
  calls,
  plan,
  operator,
  handledBefore,
  resumedBefore,
}: ScheduleWorld): readonly string[] {
  const handlers = plan.operator.handlers.filter(({ kind }) => kind === 'resume');
  return history.alive
    .filter(({ uid, deletion }) => handledBefore.has(uid) && !deletion)
    .flatMap(({ uid, name, wasAlwaysOn }) =>
      handlers
        .filter(({ filtered }) => !filtered || wasAlwaysOn)
        .filter((handler) => {
          const own = calls.of(uid, fullId(handler)).filter(({ instance }) => instance === operator.instance);
          // Records of an instance that has died in the middle of it count for the next one.
          return !own.some(isFinal) && !resumedBefore.has(`${uid} ${fullId(handler)}`);
        })
        .map((handler) => `resuming: ${fullId(handler)} was not called for ${name} ${uid}`),
    );
}
