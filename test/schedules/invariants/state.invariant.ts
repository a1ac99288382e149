import { isFinal } from '../call.log.js';
import { essenceOf, type ObjectPast } from '../object.history.js';
import { fullId } from '../planned.operator.js';
import type { HandlerPlan } from '../schedule.plan.js';
import type { ScheduleWorld } from '../schedule.world.js';

/** The last state of each object that is there was shown to each handler that is for it, and to its sub-handlers. */
export function findUnseenStates(world: ScheduleWorld): readonly string[] {
  const { history, plan } = world;
  const handlers = plan.operator.handlers.filter(
    ({ kind }) => kind === 'create' || kind === 'update' || kind === 'field',
  );
  return history.alive.flatMap((past) =>
    handlers.filter((handler) => isFor(handler, past)).flatMap((handler) => findUnseenState(world, handler, past)),
  );
}

function findUnseenState(world: ScheduleWorld, handler: HandlerPlan, past: ObjectPast): readonly string[] {
  const id = fullId(handler);
  const wanted = wantedOf(handler, past);
  const last = world.calls.last(past.uid, id);
  const known = last ? shownBy(handler, last.seen) : initialOf(handler, past);
  // Sub-handlers are there as far as their parent has got; one that has failed for good, or whose errors are ignored, leaves them as they are.
  const count = last?.outcome === 'failure' || handler.errors === 'ignored' ? 0 : handler.children;
  const children = Array.from({ length: count }, (_, index) => world.calls.last(past.uid, `${id}/child${index}`));
  const unfinished = [last, ...children].filter((call) => call && !isFinal(call) && !world.isLost(call));
  return [
    ...unfinished.map((call) => `last state: ${call?.id} was not called again for ${past.name} ${past.uid}`),
    ...(known === wanted || world.isLost(last)
      ? []
      : [`last state: ${id} knows ${known} of ${past.name} ${past.uid}, not ${wanted}`]),
  ];
}

function isFor({ kind, filtered }: HandlerPlan, past: ObjectPast): boolean {
  if (kind === 'create') return !filtered || past.wasAlwaysOn;
  return !filtered || past.object.metadata.labels?.on !== undefined;
}

/** Gives the state that the handler must have been shown in the end. */
function wantedOf(handler: HandlerPlan, past: ObjectPast): string | undefined {
  if (handler.kind === 'create') return past.firstHandled;
  return shownBy(handler, essenceOf(past.object));
}

/** Gives the state that counts as known before the first call: changes begin with the state that was handled as created. */
function initialOf(handler: HandlerPlan, past: ObjectPast): string | undefined {
  return handler.kind === 'update' && past.firstHandled !== undefined ? shownBy(handler, past.firstHandled) : undefined;
}

function shownBy({ field }: HandlerPlan, essence: string): string {
  if (!field) return essence;
  return String((JSON.parse(essence) as Record<string, unknown>)[field.replace('spec.', '')]);
}
