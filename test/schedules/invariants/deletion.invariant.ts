import { isFinal } from '../call.log.js';
import { fullId } from '../planned.operator.js';
import type { ExampleObject } from '../example.resource.js';
import type { ScheduleWorld } from '../schedule.world.js';

/** Whatever was deleted has gone, and not before the handlers of deletions were called. */
export function findDeletionErrors({ history, calls, plan }: ScheduleWorld): readonly string[] {
  const stuck = history.alive
    .filter(({ deletion }) => deletion)
    .map(({ name, uid, object }) => `stuck deletion: ${name} ${uid} is held by ${String(object.metadata.finalizers)}`);
  const handlers = plan.operator.handlers.filter(({ kind, optional }) => kind === 'delete' && !optional);
  const skipped = history.gone
    .filter(({ wasHeld, wasForced }) => wasHeld && !wasForced)
    .flatMap(({ uid, name, object, deletion = object, wasOnDuringDeletion }) =>
      handlers
        // An operator that sees a state without the label may finish the deletion by that state, whatever the label is afterwards.
        .filter(({ filtered }) => !filtered || (isOn(object) && wasOnDuringDeletion && isHeld(deletion)))
        .filter((handler) => !calls.of(uid, fullId(handler)).some(isFinal))
        .map((handler) => `skipped deletion: ${fullId(handler)} was not called for ${name} ${uid}`),
    );
  return [...stuck, ...skipped];
}

function isOn({ metadata }: ExampleObject): boolean {
  return metadata.labels?.on !== undefined;
}

function isHeld({ metadata }: ExampleObject): boolean {
  return (metadata.finalizers?.length ?? 0) > 0;
}
