import type { Clock } from 'kube-common';

/** The time of a line: the clock has milliseconds, nodes write nanoseconds. */
export interface LogStamp {
  readonly milliseconds: number;
  readonly nanoseconds: number;
}

const NANOSECONDS = 1_000_000;

/** The times of lines, a nanosecond after another within a millisecond, so that each differs. */
export class LogStamps {
  private milliseconds = 0;
  private nanoseconds = 0;

  constructor(private readonly clock: Clock) {}

  /** Returns the time of the first of so many lines. */
  take(lines: number): LogStamp {
    const now = Math.floor(this.clock.now());
    if (now > this.milliseconds) [this.milliseconds, this.nanoseconds] = [now, 0];
    const first = { milliseconds: this.milliseconds, nanoseconds: this.nanoseconds };
    ({ milliseconds: this.milliseconds, nanoseconds: this.nanoseconds } = laterStamp(first, Math.max(1, lines)));
    return first;
  }
}

/** Returns a time so many nanoseconds later. */
export function laterStamp({ milliseconds, nanoseconds }: LogStamp, by: number): LogStamp {
  const sum = nanoseconds + by;
  return { milliseconds: milliseconds + Math.floor(sum / NANOSECONDS), nanoseconds: sum % NANOSECONDS };
}

/** Writes a time as nodes do: `2026-01-01T00:00:00.000000001Z`. */
export function formatStamp({ milliseconds, nanoseconds }: LogStamp): string {
  return `${new Date(milliseconds).toISOString().slice(0, -1)}${String(nanoseconds).padStart(6, '0')}Z`;
}
