import type { OperatorActivity, OngoingCall } from '../inspection.types.js';
import type { ErrorFolder } from '../objects/error.folding.js';
import { FailureGroups, OVERDUE_TEXT, listNow, type WaitingEntry } from '../objects/now.lists.js';
import type { ObservedEntry } from './observed.objects.js';
import { failuresOf, openProgress, phaseAt, progressAt } from './observed.phase.js';
import { referenceOfEntry } from './observed.query.js';

/** The text for an object that is being deleted, and has the finalizer of an operator. */
const NOT_BEGUN = 'No operator has begun to handle the deletion, though one holds the object.';

/**
 * Returns the present activity of operators, as far as objects show it: a handler that was begun, or is due, counts as in work. A first
 * attempt is not seen before it has ended.
 */
export function inspectClusterNow(
  entries: readonly ObservedEntry[],
  folder: ErrorFolder,
  now: number,
): OperatorActivity {
  const inWork: OngoingCall[] = [];
  const waiting: WaitingEntry[] = [];
  const failures = new FailureGroups(folder);
  for (const entry of entries) {
    const { object } = entry;
    const isStuck = phaseAt(object, now) === 'stuck';
    const open = openProgress(object);
    for (const progress of open) {
      const { handler, dueAt, startedAt, attempts, error } = progress;
      if (dueAt !== undefined && (isStuck || dueAt > now))
        waiting.push([referenceOfEntry(entry), progressAt(progress, now)]);
      else if (!isStuck)
        inWork.push({ ...referenceOfEntry(entry), handler, since: dueAt ?? startedAt ?? now, attempt: attempts + 1 });
      if (error === undefined) continue;
      // An operator writes the object after each attempt, but another client may have written it later. Times on objects are whole seconds.
      const failedAt = Math.max(object.changedAt ?? 0, startedAt ?? 0) || undefined;
      failures.add('retrying', referenceOfEntry(entry), progress, error, failedAt);
    }
    for (const failure of failuresOf(object))
      if (failure.error !== undefined)
        failures.add('failed', referenceOfEntry(entry), failure, failure.error, failure.failedAt);
    if (!isStuck || open.some(({ error }) => error !== undefined)) continue;
    const reason = open.length > 0 ? OVERDUE_TEXT : NOT_BEGUN;
    failures.add('stuck', referenceOfEntry(entry), { handler: open[0]?.handler }, reason);
  }
  return listNow({ inWork, waiting, failures }, now);
}
