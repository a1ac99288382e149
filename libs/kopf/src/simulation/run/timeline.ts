import type { Clock } from '../../common/clock.js';

/** One line of what has happened in a run. */
export interface TimelineEntry {
  /** Seconds since the workload began. */
  readonly time: number;
  /** Who it was: `user`, `operator`, `cluster`, `fault`. */
  readonly actor: string;
  readonly text: string;
}

/** Notes what happens in a run, in its order. */
export class Timeline {
  readonly entries: TimelineEntry[] = [];

  constructor(private readonly clock: Clock) {}

  note(actor: string, text: string): void {
    this.entries.push({ time: this.clock.monotonic() / 1000, actor, text });
  }
}

/** Prints a timeline as a table. */
export function formatTimeline(entries: readonly TimelineEntry[]): string {
  const width = Math.max(0, ...entries.map(({ actor }) => actor.length));
  return entries
    .map(({ time, actor, text }) => `${`${time.toFixed(3)} s`.padStart(12)}  ${actor.padEnd(width)}  ${text}`)
    .join('\n');
}
