import type { OperatorEvent } from '../api/api.types.js';

/** An entry of the event log with its time in milliseconds since the epoch, if the log says when it began. */
export interface TimedEvent extends OperatorEvent {
  readonly at?: number;
}

/** A part of a log, the oldest entries first. */
export interface TimedLog {
  /** When the log began, in milliseconds since the epoch. */
  readonly beganAt: number;
  readonly events: readonly TimedEvent[];
}

/** Adds times to entries of a log that began at a time in milliseconds. */
export function addTimes(events: readonly OperatorEvent[], beganAt: number | undefined): readonly TimedEvent[] {
  if (beganAt === undefined) return events;
  return events.map((event) => ({ ...event, at: beganAt + event.time * 1000 }));
}

/** Joins two parts of a log, each entry once, in their order, at most so many of the newest. Of two logs, the one that began later is left. */
export function joinLogs(one: TimedLog, other: TimedLog, limit: number): TimedLog {
  if (other.events.length === 0 && other.beganAt === one.beganAt) return one;
  if (other.beganAt > one.beganAt) return other;
  if (other.beganAt < one.beganAt) return one;
  const events = new Map([...one.events, ...other.events].map((event) => [event.number, event]));
  return {
    beganAt: one.beganAt,
    events: [...events.values()].sort((a, b) => a.number - b.number).slice(-limit),
  };
}

/** Joins what is known with newer entries, each once, in their order, at most so many. */
export function joinEvents(
  known: readonly TimedEvent[],
  newer: readonly TimedEvent[],
  limit: number,
): readonly TimedEvent[] {
  const last = known.at(-1)?.number ?? 0;
  const added = newer.filter(({ number }) => number > last);
  if (added.length === 0) return known;
  return [...known, ...added].slice(-limit);
}
