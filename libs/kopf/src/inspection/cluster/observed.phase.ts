import type { ObjectPhase, InspectedProgress } from '../inspection.types.js';
import { isSameId } from '../explanation/stored.state.js';
import { isOverdue, openStateOf } from '../objects/due.attempts.js';
import type { ObservedObject, ObservedProgress } from './observed.object.js';

/** Describes the progress of a handler at a time, in milliseconds since the epoch. */
export function progressAt(progress: ObservedProgress, now: number): InspectedProgress {
  const { ended, ...known } = progress;
  return { ...known, state: ended ?? openStateOf(progress.dueAt, now) };
}

/**
 * Returns the phase of an object: `stuck` if an attempt is overdue, or if no operator begins to handle the deletion; otherwise, the phase
 * that needs attention most.
 */
export function phaseAt(object: ObservedObject, now: number): ObjectPhase {
  const { progress, deletingSince, failure } = object;
  // Most objects have no progress.
  if (progress.length === 0 && deletingSince === undefined) return failure ? 'failed' : 'idle';
  const open = openProgress(object);
  if (open.some(({ dueAt }) => isOverdue(dueAt, now)) || isAbandoned(object, open, now)) return 'stuck';
  if (open.some(({ error }) => error !== undefined)) return 'failing';
  if (deletingSince !== undefined) return 'deleting';
  if (open.some(({ dueAt }) => dueAt !== undefined && dueAt > now)) return 'waiting';
  if (open.length > 0) return 'inWork';
  return failure || progress.some(({ ended }) => ended === 'failed') ? 'failed' : 'idle';
}

/** Returns the handlers that are called again, or for the first time. */
export function openProgress({ progress }: ObservedObject): readonly ObservedProgress[] {
  return progress.length === 0 ? progress : progress.filter(({ ended }) => ended === undefined);
}

/** Returns the handlers that have failed for good: those on the object, and that of a Kubernetes event. */
export function failuresOf({ progress, failure }: ObservedObject): readonly ObservedProgress[] {
  const stored = progress.filter(({ ended }) => ended === 'failed');
  if (!failure || stored.some(({ handler }) => isSameId(handler, failure.handler))) return stored;
  const { handler, error, at } = failure;
  return [...stored, { handler, error, attempts: 0, failedAt: at, ended: 'failed' }];
}

/** Whether the operator holds an object in deletion, and has not begun to handle the deletion. */
function isAbandoned(
  { deletingSince, heldBy }: ObservedObject,
  open: readonly ObservedProgress[],
  now: number,
): boolean {
  if (deletingSince === undefined || !heldBy.operator || !isOverdue(deletingSince, now)) return false;
  return !open.some(({ purpose }) => purpose === 'delete');
}
