import type { ObjectPast } from '../object.history.js';
import type { HandlerPlan } from '../schedule.plan.js';
import type { ScheduleWorld } from '../schedule.world.js';

/** Daemons run, and timers are invoked, exactly for the objects that match. */
export function findBackgroundErrors(world: ScheduleWorld): readonly string[] {
  return world.plan.operator.handlers.flatMap((handler) => {
    if (handler.kind === 'daemon') return findDaemonErrors(world, handler);
    if (handler.kind === 'timer') return findTimerErrors(world, handler);
    return [];
  });
}

function findDaemonErrors({ background, history, operator }: ScheduleWorld, handler: HandlerPlan): readonly string[] {
  const running = background.runningFor(operator.instance, handler.id);
  const wanted = history.alive.filter((past) => isFor(handler, past)).map(({ uid }) => uid);
  const missing = handler.lifespan === undefined ? wanted.filter((uid) => !running.includes(uid)) : [];
  const surplus = running.filter((uid) => !wanted.includes(uid));
  return [
    ...missing.map((uid) => `daemons: ${handler.id} does not run for ${uid}`),
    ...surplus.map((uid) => `daemons: ${handler.id} runs for ${uid}, which is gone or does not match`),
  ];
}

function findTimerErrors(
  { background, history, operator, clock }: ScheduleWorld,
  handler: HandlerPlan,
): readonly string[] {
  const { interval = 0, duration, backoff } = handler;
  const since = clock.monotonic() - (interval + duration + backoff + 5) * 1000;
  const invoked = background.invokedFor(operator.instance, handler.id, since);
  const wanted = history.alive.filter((past) => isFor(handler, past)).map(({ uid }) => uid);
  return [
    ...wanted.filter((uid) => !invoked.includes(uid)).map((uid) => `timers: ${handler.id} is not invoked for ${uid}`),
    ...invoked
      .filter((uid) => !wanted.includes(uid))
      .map((uid) => `timers: ${handler.id} is invoked for ${uid}, which is gone or does not match`),
  ];
}

function isFor({ filtered }: HandlerPlan, { object, deletion }: ObjectPast): boolean {
  return !deletion && (!filtered || object.metadata.labels?.on !== undefined);
}
