import type { ConsoleNow, ConsoleWaiting, ConsoleWork } from '../console.api.js';
import { FailureGroups } from '../operator/operator.now.js';
import type { ObservedEntry } from './observed.objects.js';
import { openProgress, progressAt } from './observed.phase.js';
import { referenceOf } from './observed.query.js';

/** The most entries of each list. */
const MOST = 100;

/**
 * Tells what operators do now, as far as it shows on the objects: a handler that was begun, or is due, is in work. A first attempt does not show
 * before it has ended.
 */
export function describeNow(entries: readonly ObservedEntry[], now: number): ConsoleNow {
  const inWork: ConsoleWork[] = [];
  const waiting: (ConsoleWaiting & { readonly dueAt: number })[] = [];
  const failing = new FailureGroups(now);
  for (const entry of entries) {
    for (const progress of openProgress(entry.object)) {
      const { handler, dueAt, startedAt, attempts, error } = progress;
      if (dueAt !== undefined && dueAt > now)
        waiting.push({ ...referenceOf(entry), ...progressAt(progress, now), dueAt });
      else inWork.push({ ...referenceOf(entry), handler, since: dueAt ?? startedAt ?? now, attempt: attempts + 1 });
      if (error === undefined) continue;
      // An operator writes the object after each attempt; somebody else can have written it later. API servers note whole seconds.
      const failedAt = Math.max(entry.object.changedAt ?? 0, startedAt ?? 0) || undefined;
      failing.add(referenceOf(entry), { ...progressAt(progress, now), error, failedAt });
    }
  }
  inWork.sort((one, other) => one.since - other.since);
  waiting.sort((one, other) => one.dueAt - other.dueAt);
  return {
    now,
    inWork: inWork.slice(0, MOST),
    waiting: waiting.slice(0, MOST),
    failing: failing.list().slice(0, MOST),
    totals: { inWork: inWork.length, waiting: waiting.length, failing: failing.size },
  };
}
