import type {
  ConsoleNow,
  ConsoleObjectReference,
  ConsoleProgress,
  ConsoleWaiting,
  ConsoleWork,
} from '../console.api.js';
import { FailureGroups, listNow } from '../objects/now.lists.js';
import type { ObjectState } from './object.states.js';

/** Tells what happens now, from the states of objects that are not idle. */
export function describeNow(
  objects: Iterable<readonly [object: ConsoleObjectReference, state: ObjectState]>,
  conceal: (object: ConsoleObjectReference, error: string) => string,
  now: number,
): ConsoleNow {
  const inWork: ConsoleWork[] = [];
  const waiting: ConsoleWaiting[] = [];
  const failures = new FailureGroups(now);
  for (const [object, { phase, progress }] of objects) {
    const running = progress.filter(({ state }) => state === 'running');
    if (phase === 'inWork') inWork.push(...toWork(object, running, now));
    for (const each of progress) {
      const error = each.error === undefined ? undefined : conceal(object, each.error);
      const shown = { ...each, ...(error !== undefined && { error }) };
      const isOpen = ['waiting', 'due', 'begun'].includes(each.state);
      if (isOpen && phase !== 'inWork') waiting.push({ ...object, ...shown });
      if (error !== undefined && each.state !== 'succeeded') failures.add(object, { ...shown, error });
    }
  }
  return listNow({ inWork, waiting, failures }, now);
}

function toWork(
  object: ConsoleObjectReference,
  running: readonly ConsoleProgress[],
  now: number,
): readonly ConsoleWork[] {
  if (running.length === 0) return [{ ...object, since: now }];
  return running.map(({ handler, startedAt = now, attempts }) => {
    return { ...object, handler, since: startedAt, attempt: attempts + 1 };
  });
}
