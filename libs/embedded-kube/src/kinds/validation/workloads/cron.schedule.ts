interface Bounds {
  readonly lowest: number;
  readonly highest: number;
  readonly names?: readonly string[];
}

const MONTHS = ['', 'jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const FIELDS: readonly Bounds[] = [
  { lowest: 0, highest: 59 },
  { lowest: 0, highest: 23 },
  { lowest: 1, highest: 31 },
  { lowest: 1, highest: 12, names: MONTHS },
  { lowest: 0, highest: 6, names: DAYS },
];
const DESCRIPTORS = new Set(['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly']);
const DURATION = /^[+-]?(0|(\d+(\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h))+$/;

/** Describes what the real server finds wrong with the schedule of a cron job; `undefined` if it can be read. */
export function describeScheduleError(schedule: string): string | undefined {
  const text = schedule.replace(/^(TZ|CRON_TZ)=\S* */, '');
  if (text.startsWith('@')) return describeDescriptorError(text);
  const fields = text.split(/\s+/).filter(Boolean);
  if (fields.length !== FIELDS.length) {
    return `expected exactly 5 fields, found ${fields.length}: [${fields.join(' ')}]`;
  }
  for (const [index, field] of fields.entries()) {
    for (const part of field.split(/,/).filter(Boolean)) {
      const problem = describePartError(part, FIELDS[index]!);
      if (problem !== undefined) return problem;
    }
  }
  return undefined;
}

function describeDescriptorError(text: string): string | undefined {
  if (DESCRIPTORS.has(text)) return undefined;
  if (!text.startsWith('@every ')) return `unrecognized descriptor: ${text}`;
  const duration = text.slice('@every '.length);
  if (DURATION.test(duration)) return undefined;
  return `failed to parse duration ${text}: time: invalid duration ${JSON.stringify(duration)}`;
}

function describePartError(part: string, bounds: Bounds): string | undefined {
  const [range = '', ...steps] = part.split('/');
  const ends = range.split('-');
  if (steps.length > 1) return `too many slashes: ${part}`;
  const isAny = ends[0] === '*' || ends[0] === '?';
  if (!isAny && ends.length > 2) return `too many hyphens: ${part}`;
  const numbers = isAny ? [bounds.lowest, bounds.highest] : ends.map((end) => numberOf(end, bounds));
  const unreadable = numbers.findIndex((number) => number === undefined);
  if (unreadable >= 0) return describeNumberError(ends[unreadable]!);
  const step = steps.length === 0 ? 1 : /^\d+$/.test(steps[0]!) ? Number(steps[0]) : undefined;
  if (step === undefined) return describeNumberError(steps[0]!);
  const [start, end = steps.length > 0 ? bounds.highest : start] = numbers as [number, number?];
  if (start < bounds.lowest) return `beginning of range (${start}) below minimum (${bounds.lowest}): ${part}`;
  if (end > bounds.highest) return `end of range (${end}) above maximum (${bounds.highest}): ${part}`;
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${part}`;
  return step === 0 ? `step of range should be a positive number: ${part}` : undefined;
}

function numberOf(text: string, { names }: Bounds): number | undefined {
  const index = names?.indexOf(text.toLowerCase()) ?? -1;
  if (index >= 0 && text) return index;
  return /^\+?\d+$/.test(text) ? Number(text) : undefined;
}

function describeNumberError(text: string): string {
  if (/^-\d+$/.test(text)) return `negative number (${text}) not allowed: ${text}`;
  return `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`;
}
