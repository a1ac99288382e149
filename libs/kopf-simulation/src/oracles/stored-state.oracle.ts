import {
  anyPrematches,
  anyRequiresFinalizer,
  anySpawningRequiresFinalizer,
  ChangingCause,
  compareEssences,
  isDeletionBlocked,
  isDeletionOngoing,
  SpawningCause,
} from 'nestjs-kopf/tooling';
import { type KopfSettings, type ObjectDiff, Reason } from 'nestjs-kopf';
import type { RestingObject, RestingOperator } from './resting.operator.js';
import type { Violation } from './violation.js';

/**
 * Compares the stored state of an operator at rest with the objects: all changes were handled, no handler is half done, and exactly the objects that
 * need the finalizer for a handler have it.
 */
export function checkStoredState({ settings, objects }: RestingOperator): readonly Violation[] {
  return objects.flatMap((object) => {
    if (object.isExempt) return [];
    try {
      return checkObject(object, settings);
    } catch {
      // A filter has failed, so what the object needs is unknown.
      return [];
    }
  });
}

function checkObject(object: RestingObject, settings: KopfSettings): Violation[] {
  const { name, body, handlers, isSelected } = object;
  const { finalizer, formerFinalizers } = settings.persistence;
  const isOngoing = isDeletionOngoing(body);
  const violations: Violation[] = [];
  const change = isSelected && handlers.changing.length > 0 ? compareWithLast(object, settings) : undefined;
  const isHandled = change !== undefined && anyPrematches(handlers.changing, change.cause);
  // An object that stays in deletion is a finding of another check.
  if (isOngoing) return [];
  if (isHandled && !change.isExempt) {
    if (change.before === undefined) {
      violations.push({ check: 'last-handled', message: `${name} was never noted as handled` });
    } else if (change.cause.diff.length > 0) {
      const fields = fieldsOf(change.cause.diff);
      violations.push({ check: 'last-handled', message: `${name} differs from the last handled state in ${fields}` });
    }
    for (const { id } of handlers.owned) {
      if (!settings.persistence.progressStorage.fetch(id, body)) continue;
      violations.push({ check: 'progress', message: `${name} keeps progress of '${id}' though nothing is left to do` });
    }
  }
  const isRequired =
    isSelected &&
    ((isHandled && anyRequiresFinalizer(handlers.changing, change.cause)) ||
      anySpawningRequiresFinalizer(
        handlers.spawning,
        new SpawningCause(object.origin),
        object.memory.background?.foreverStopped,
      ));
  if (isDeletionBlocked(body, finalizer, formerFinalizers) === isRequired) return violations;
  const what = isRequired ? 'lacks the finalizer, which a handler needs' : 'has the finalizer, which no handler needs';
  return [...violations, { check: 'finalizers', message: `${name} ${what}` }];
}

/** The change of the object since it was last handled, as the operator detects changes. */
function compareWithLast({ body, handlers, memory, origin }: RestingObject, { persistence }: KopfSettings) {
  const { diffbaseStorage, progressStorage } = persistence;
  const stored = diffbaseStorage.fetch(body) ?? memory.essence.recalled;
  const before = stored && progressStorage.clear(stored);
  const after = progressStorage.clear(diffbaseStorage.build(body, handlers.extraFields));
  const diff = before ? compareEssences(before, after) : [];
  const cause = new ChangingCause(origin, { reason: Reason.NOOP, initial: false, old: before, new: after, diff });
  return { before, cause, isExempt: memory.essence.isOutOfDate || diffbaseStorage.isCopied?.(body) === true };
}

function fieldsOf(diff: ObjectDiff): string {
  return diff.map(([, path]) => path.join('.')).join(', ');
}
