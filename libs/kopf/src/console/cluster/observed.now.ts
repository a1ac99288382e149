import type { ConsoleFailure, ConsoleNow, ConsoleWaiting, ConsoleWork } from '../console.api.js';
import { foldError } from '../error.folding.js';
import type { ObservedProgress } from './observed.object.js';
import type { ObservedEntry } from './observed.objects.js';
import { openProgress, progressAt } from './observed.phase.js';
import { referenceOf } from './observed.query.js';

const MOST = { entries: 100, objects: 20 };

type Failure = { -readonly [Member in keyof ConsoleFailure]: ConsoleFailure[Member] };

/**
 * Tells what operators do now, as far as it shows on the objects: a handler that was begun, or is due, is in work. A first attempt does not show
 * before it has ended.
 */
export function describeNow(entries: readonly ObservedEntry[], now: number): ConsoleNow {
  const inWork: ConsoleWork[] = [];
  const waiting: (ConsoleWaiting & { readonly dueAt: number })[] = [];
  const failing = new Map<string, Failure>();
  const failingObjects = new Set<ObservedEntry>();
  for (const entry of entries) {
    for (const progress of openProgress(entry.object)) {
      const { handler, dueAt, startedAt, attempts, error } = progress;
      if (dueAt !== undefined && dueAt > now)
        waiting.push({ ...referenceOf(entry), ...progressAt(progress, now), dueAt });
      else inWork.push({ ...referenceOf(entry), handler, since: dueAt ?? startedAt ?? now, attempt: attempts + 1 });
      if (error === undefined) continue;
      addFailure(failing, entry, progress);
      failingObjects.add(entry);
    }
  }
  inWork.sort((one, other) => one.since - other.since);
  waiting.sort((one, other) => one.dueAt - other.dueAt);
  const failures = [...failing.values()].sort((one, other) => other.count - one.count || other.lastAt - one.lastAt);
  return {
    now,
    inWork: inWork.slice(0, MOST.entries),
    waiting: waiting.slice(0, MOST.entries),
    failing: failures.slice(0, MOST.entries),
    totals: { inWork: inWork.length, waiting: waiting.length, failing: failingObjects.size },
  };
}

function addFailure(failing: Map<string, Failure>, entry: ObservedEntry, progress: ObservedProgress): void {
  const { handler, startedAt, error = '' } = progress;
  const { namespace, name, uid, changedAt } = entry.object;
  const folded = foldError(error, [namespace, name, uid]);
  const key = JSON.stringify([handler, folded]);
  // An operator writes the object after each attempt; somebody else can have written it later.
  const lastAt = changedAt ?? startedAt ?? 0;
  const firstAt = startedAt ?? lastAt;
  const known = failing.get(key);
  if (!known) {
    failing.set(key, { error: folded, handler, objects: [referenceOf(entry)], count: 1, firstAt, lastAt });
    return;
  }
  known.count++;
  known.firstAt = Math.min(known.firstAt, firstAt);
  known.lastAt = Math.max(known.lastAt, lastAt);
  if (known.objects.length < MOST.objects) known.objects = [...known.objects, referenceOf(entry)];
}
