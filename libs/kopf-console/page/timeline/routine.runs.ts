import type { TimedEvent } from '../live/recent.events.js';

/** Calls that come again and again when nothing is wrong: of timers, at each event, and reviews. */
const ROUTINE: ReadonlySet<string> = new Set(['timer', 'index', 'event', 'validate', 'mutate', 'convert']);

/** Routine entries in a row, as one. */
export interface RoutineRun {
  readonly events: readonly TimedEvent[];
  /** The number of calls by the handlers, in the order of the entries. */
  readonly calls: ReadonlyMap<string, number>;
}

/** Folds routine entries in a row into one, so that what has changed stands out. What has failed stays by itself. */
export function foldRoutine(events: readonly TimedEvent[]): readonly (TimedEvent | RoutineRun)[] {
  const folded: (TimedEvent | RoutineRun)[] = [];
  let run: TimedEvent[] = [];
  const endRun = (): void => {
    if (run.length > 1) folded.push({ events: run, calls: countCalls(run) });
    else folded.push(...run);
    run = [];
  };
  for (const event of events) {
    if (isRoutine(event)) {
      run.push(event);
      continue;
    }
    endRun();
    folded.push(event);
  }
  endRun();
  return folded;
}

function isRoutine({ type, call }: TimedEvent): boolean {
  if (!call || !ROUTINE.has(call.reason) || call.error !== undefined) return false;
  return type === 'call' || (type === 'outcome' && call.outcome === 'succeeded');
}

/** A call and its outcome can stand in different runs, so that the ones that are more often there count. */
function countCalls(events: readonly TimedEvent[]): ReadonlyMap<string, number> {
  const counts = new Map<string, { call: number; outcome: number }>();
  for (const { type, call } of events) {
    const count = counts.get(call!.id) ?? { call: 0, outcome: 0 };
    count[type === 'call' ? 'call' : 'outcome'] += 1;
    counts.set(call!.id, count);
  }
  return new Map([...counts].map(([id, { call, outcome }]) => [id, Math.max(call, outcome)]));
}
