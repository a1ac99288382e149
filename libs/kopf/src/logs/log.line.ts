/** A line of a log, with its time stamp. */
export interface ContainerLine {
  /** The line with its time stamp, which identifies it. */
  readonly raw: string;
  /** The time stamp as the node has written it: `2026-11-22T10:00:00.123456789Z`; empty if the line has none. */
  readonly timestamp: string;
  readonly text: string;
  readonly isTruncated: boolean;
}

/** The time up to the second, its fraction, and the zone. Nodes write times in their own zone. */
const TIMESTAMP = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/** Splits a line into its time stamp and its text. */
export function parseContainerLine(raw: string, isTruncated = false): ContainerLine {
  const space = raw.indexOf(' ');
  const timestamp = space < 0 ? raw : raw.slice(0, space);
  if (!TIMESTAMP.test(timestamp)) return { raw, timestamp: '', text: raw, isTruncated };
  return { raw, timestamp, text: space < 0 ? '' : raw.slice(space + 1), isTruncated };
}

/** Compares the times of two lines to the nanosecond, whatever zones they are in: negative if the first one is older. */
export function compareTimes(one: ContainerLine, other: ContainerLine): number {
  if (one.timestamp === other.timestamp) return 0;
  const [first, second] = [one, other].map(({ timestamp }) => {
    const [, time = '', zone = ''] = TIMESTAMP.exec(timestamp) ?? [];
    const fraction = timestamp.slice(time.length, timestamp.length - zone.length).slice(1);
    return { seconds: Date.parse(time + zone), fraction: fraction.padEnd(9, '0') };
  });
  if (first.seconds !== second.seconds) return first.seconds - second.seconds;
  return first.fraction < second.fraction ? -1 : Number(first.fraction > second.fraction);
}

/** The seconds since the epoch of time stamps, parsed once for each second of a log. */
export class SecondReader {
  private last = '';
  private lastSecond = 0;

  /** @returns the second of the last line that had a time stamp, if this line has none. */
  secondOf({ timestamp }: ContainerLine): number {
    const found = TIMESTAMP.exec(timestamp);
    if (!found) return this.lastSecond;
    const text = found[1] + found[2];
    if (text !== this.last) {
      this.last = text;
      this.lastSecond = Date.parse(text) / 1000;
    }
    return this.lastSecond;
  }
}

/** Computes a hash of a text by which lines are compared: it has 53 bits, so that two lines of one second hardly ever have the same one. */
export function hashText(text: string): number {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    high = Math.imul(high ^ code, 2654435761);
    low = Math.imul(low ^ code, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return 4294967296 * (2097151 & low) + (high >>> 0);
}
