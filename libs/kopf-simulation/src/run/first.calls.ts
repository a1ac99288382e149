import type { BackgroundRun } from 'nestjs-kopf/tooling';

/** The longest time that a run waits for the first call of a daemon or a timer, in milliseconds: some are called once a day. */
const WAITING_LIMIT = 600_000;

/** A daemon or a timer of an object. */
type Run = Pick<BackgroundRun, 'handler' | 'isStopping' | 'object' | 'due'>;

/**
 * The time before which an operator is not at rest, as daemons or timers are still to be called for the first time since its start. Each of them may
 * end with its first call, and release what it needs. It is -Infinity if there are none.
 *
 * @param hasBegun whether a handler was called for an object
 * @param now the time, in milliseconds, as the returned one
 */
export function firstCallsEnd(
  runs: Iterable<Run>,
  hasBegun: (id: string, uid: string) => boolean,
  now: number,
): number {
  let end = -Infinity;
  for (const { handler, isStopping, object, due } of runs) {
    if (isStopping || due <= now || due > now + WAITING_LIMIT || hasBegun(handler.id, object.metadata.uid ?? ''))
      continue;
    end = Math.max(end, due);
  }
  return end;
}
