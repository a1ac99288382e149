import type { TimedEvent } from '../live/recent.events.js';

/** One call of a handler, from its event to that of its outcome. Times are those of the events, in seconds. */
export interface Attempt {
  readonly handler: string;
  readonly reason: string;
  /** The number of the attempt, from 1 on. */
  readonly number: number;
  readonly start: number;
  /** Absent while it runs. */
  readonly end?: number;
  readonly outcome?: 'succeeded' | 'retried' | 'failed';
  readonly error?: string;
}

/** The attempts of one handler, in their order. */
export interface AttemptLane {
  readonly handler: string;
  readonly attempts: readonly Attempt[];
}

/** Pairs calls with their outcomes. An outcome whose call the log has dropped counts as a call that took no time. */
export function findAttempts(events: readonly TimedEvent[]): readonly AttemptLane[] {
  const lanes = new Map<string, Attempt[]>();
  for (const { type, time, call } of events) {
    if (!call || (type !== 'call' && type !== 'outcome')) continue;
    const { id, reason, attempt: number, outcome, error } = call;
    const lane = lanes.get(id) ?? [];
    lanes.set(id, lane);
    if (type === 'call') {
      lane.push({ handler: id, reason, number, start: time });
      continue;
    }
    const begun = lane.findLastIndex(
      (each) => each.end === undefined && each.number === number && each.reason === reason,
    );
    const start = lane[begun]?.start ?? time;
    const ended = {
      handler: id,
      reason,
      number,
      start,
      end: time,
      ...(outcome && { outcome }),
      ...(error && { error }),
    };
    if (begun < 0) lane.push(ended);
    else lane[begun] = ended;
  }
  return [...lanes].map(([handler, attempts]) => ({ handler, attempts }));
}

/**
 * Finds the places of times on an axis from 0 to 1. Attempts take milliseconds and the waits between them minutes: to scale, the attempts
 * could not be seen. On this axis, the stretch between two times is as wide as the root of its length.
 */
export function createAxis(times: readonly number[]): (time: number) => number {
  const sorted = [...new Set(times)].sort((a, b) => a - b);
  const widths = sorted.slice(1).map((time, index) => Math.sqrt(Math.max(time - sorted[index], 0.001)));
  const total = widths.reduce((sum, width) => sum + width, 0);
  if (total === 0) return () => 0;
  const places = new Map<number, number>();
  let place = 0;
  sorted.forEach((time, index) => {
    places.set(time, place / total);
    place += widths[index] ?? 0;
  });
  return (time) => places.get(time) ?? findPlace(time, sorted, places);
}

/** Finds the place of a time between two known ones. */
function findPlace(time: number, sorted: readonly number[], places: ReadonlyMap<number, number>): number {
  const next = sorted.findIndex((each) => each > time);
  if (next === 0) return 0;
  if (next < 0) return 1;
  const [before, after] = [sorted[next - 1], sorted[next]];
  const [from, to] = [places.get(before) ?? 0, places.get(after) ?? 1];
  return from + ((to - from) * (time - before)) / (after - before);
}
