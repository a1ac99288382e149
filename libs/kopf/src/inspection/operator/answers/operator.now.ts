import type { OperatorActivity, ObjectIdentity, InspectedProgress, OngoingCall } from '../../inspection.types.js';
import type { ErrorFolder } from '../../objects/error.folding.js';
import { FailureGroups, listNow, type WaitingEntry } from '../../objects/now.lists.js';
import type { ObjectState } from '../objects/object.states.js';

/** An object that is not idle. */
export interface ActiveObject {
  readonly object: ObjectIdentity;
  readonly state: ObjectState;
  /** Redacts an error of the object. */
  readonly conceal: (error: string) => string;
}

/** The states of handlers that are called at some time. */
const OPEN: ReadonlySet<InspectedProgress['state']> = new Set(['waiting', 'due', 'begun'] as const);

/** Returns what happens now, from the states of objects that are not idle. */
export function inspectOperatorNow(
  objects: Iterable<ActiveObject>,
  folder: ErrorFolder,
  now: number,
): OperatorActivity {
  const inWork: OngoingCall[] = [];
  const waiting: WaitingEntry[] = [];
  const failures = new FailureGroups(folder);
  for (const { object, state, conceal } of objects) {
    const { phase, progress, stuck } = state;
    let hasError = false;
    const isRunning = progress.some((each) => each.state === 'running');
    if (phase === 'inWork' || isRunning) inWork.push(...toWork(object, state, now));
    for (const each of progress) {
      const error = each.error === undefined ? undefined : conceal(each.error);
      const shown = error === each.error ? each : { ...each, error };
      if (OPEN.has(each.state) && phase !== 'inWork' && !isRunning) waiting.push([object, shown]);
      if (error === undefined || each.state === 'succeeded') continue;
      hasError = true;
      if (each.state === 'failed') failures.add('failed', object, each, error, each.failedAt);
      else failures.add('retrying', object, each, error, lastFailureOf(each));
    }
    if (stuck && (!hasError || isRunning)) failures.add('stuck', object, { handler: stuck.handler }, stuck.text);
  }
  return listNow({ inWork, waiting, failures }, now);
}

/** The record of a handler has the time of its first attempt only. */
function lastFailureOf({ attempts, startedAt }: InspectedProgress): number | undefined {
  return attempts === 1 ? startedAt : undefined;
}

function toWork(object: ObjectIdentity, { progress, stuck }: ObjectState, now: number): readonly OngoingCall[] {
  const running = progress.filter(({ state }) => state === 'running');
  if (running.length === 0) return [{ ...object, since: now }];
  return running.map(({ handler, startedAt = now, attempts }) => {
    const call = { ...object, handler, since: startedAt, attempt: attempts + 1 };
    if (stuck?.handler !== handler) return call;
    const handlers = progress.filter((each) => OPEN.has(each.state)).map((each) => each.handler);
    return { ...call, isStuck: true, behind: { events: stuck.events ?? 0, handlers } };
  });
}
