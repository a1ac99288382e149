import { CelEvaluationError } from './cel.error.js';
import { CelDuration, CelTimestamp } from './cel.value.js';

const UNITS: Readonly<Record<string, bigint>> = {
  h: 3_600_000_000_000n,
  m: 60_000_000_000n,
  s: 1_000_000_000n,
  ms: 1_000_000n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ns: 1n,
};

const DURATION_FORM = /^[+-]?(?:0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;
const MAX_INT64 = 2n ** 63n - 1n;

/** Reads a duration as Go writes it: `1h30m`, `-1.5s`. Returns undefined if it is none. */
export function readDuration(text: string): CelDuration | undefined {
  if (!DURATION_FORM.test(text)) return undefined;
  let total = 0n;
  for (const [, whole, fraction = '', unit] of text.matchAll(/(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/g)) {
    const scale = UNITS[unit!]!;
    total += BigInt(whole || '0') * scale;
    if (fraction) total += (BigInt(fraction) * scale) / 10n ** BigInt(fraction.length);
  }
  if (total > MAX_INT64) return undefined;
  return new CelDuration(text.startsWith('-') ? -total : total);
}

/** Writes a duration as CEL does: in seconds. */
export function writeDuration({ nanoseconds }: CelDuration): string {
  const negative = nanoseconds < 0n;
  const positive = negative ? -nanoseconds : nanoseconds;
  const fraction = (positive % 1_000_000_000n).toString().padStart(9, '0').replace(/0+$/, '');
  return `${negative ? '-' : ''}${positive / 1_000_000_000n}${fraction && `.${fraction}`}s`;
}

const TIMESTAMP_FORM = /^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d:\d\d)(?:\.(\d+))?([Zz]|[+-]\d\d:\d\d)$/;

/** Reads a time as RFC 3339 writes it. Returns undefined if it is none. */
export function readTimestamp(text: string): CelTimestamp | undefined {
  const match = TIMESTAMP_FORM.exec(text);
  if (!match) return undefined;
  const [, date, time, fraction = '', zone] = match;
  const milliseconds = Date.parse(`${date}T${time}${zone!.toUpperCase()}`);
  if (Number.isNaN(milliseconds)) return undefined;
  return new CelTimestamp(BigInt(milliseconds) * 1_000_000n + BigInt(fraction.slice(0, 9).padEnd(9, '0')));
}

/** Writes a time as RFC 3339 in UTC. */
export function writeTimestamp({ nanoseconds }: CelTimestamp): string {
  const rest = ((nanoseconds % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n;
  const seconds = (nanoseconds - rest) / 1_000_000_000n;
  const fraction = rest.toString().padStart(9, '0').replace(/0+$/, '');
  const text = new Date(Number(seconds) * 1000).toISOString().replace(/\.000Z$/, '');
  return `${text}${fraction && `.${fraction}`}Z`;
}

/** Returns the parts of a time as if it were UTC. @throws CelEvaluationError if there is no such time zone */
export function localTime({ nanoseconds }: CelTimestamp, zone: string): Date {
  const milliseconds = Number(nanoseconds / 1_000_000n);
  const offset = /^([+-]?)(\d\d):(\d\d)$/.exec(zone);
  if (offset) {
    const minutes = Number(offset[2]) * 60 + Number(offset[3]);
    return new Date(milliseconds + (offset[1] === '-' ? -minutes : minutes) * 60_000);
  }
  return new Date(milliseconds + zoneOffset(milliseconds, zone));
}

function zoneOffset(milliseconds: number, timeZone: string): number {
  if (timeZone === '' || timeZone === 'UTC') return 0;
  try {
    const parts = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' }).formatToParts(
      milliseconds,
    );
    const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const [, sign, hours = '0', minutes = '0'] = /GMT([+-])(\d\d):(\d\d)/.exec(name) ?? [];
    const offset = (Number(hours) * 60 + Number(minutes)) * 60_000;
    return sign === '-' ? -offset : offset;
  } catch {
    throw new CelEvaluationError(`unknown time zone ${timeZone}`);
  }
}
