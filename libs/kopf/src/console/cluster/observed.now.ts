import type { ConsoleNow, ConsoleWork } from '../console.api.js';
import type { ErrorFolder } from '../error.folding.js';
import { FailureGroups, listNow, type WaitingEntry } from '../objects/now.lists.js';
import type { ObservedEntry } from './observed.objects.js';
import { openProgress, progressAt } from './observed.phase.js';
import { referenceOf } from './observed.query.js';

/**
 * Tells what operators do now, as far as it shows on the objects: a handler that was begun, or is due, is in work. A first attempt does not show
 * before it has ended.
 */
export function describeNow(entries: readonly ObservedEntry[], folder: ErrorFolder, now: number): ConsoleNow {
  const inWork: ConsoleWork[] = [];
  const waiting: WaitingEntry[] = [];
  const failures = new FailureGroups(now, folder);
  for (const entry of entries) {
    for (const progress of openProgress(entry.object)) {
      const { handler, dueAt, startedAt, attempts, error } = progress;
      if (dueAt !== undefined && dueAt > now) waiting.push([referenceOf(entry), progressAt(progress, now)]);
      else inWork.push({ ...referenceOf(entry), handler, since: dueAt ?? startedAt ?? now, attempt: attempts + 1 });
      if (error === undefined) continue;
      // An operator writes the object after each attempt; somebody else can have written it later. API servers note whole seconds.
      const failedAt = Math.max(entry.object.changedAt ?? 0, startedAt ?? 0) || undefined;
      failures.add(referenceOf(entry), progressAt(progress, now), error, failedAt);
    }
  }
  return listNow({ inWork, waiting, failures }, now);
}
