const COUNT = new Intl.NumberFormat('en');
const DATE = new Intl.DateTimeFormat('en', { year: 'numeric', month: 'short', day: 'numeric' });
const TIME = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' });

/** Formats a whole number with separators of thousands: `100,000`. */
export function formatCount(count: number): string {
  return COUNT.format(count);
}

/** Formats a number of things: `1 object`, `3 objects`. */
export function formatNumberOf(count: number, singular: string, plural = `${singular}s`): string {
  return `${formatCount(count)} ${count === 1 ? singular : plural}`;
}

/** Formats a duration in seconds with two units at most: `1.5 ms`, `240 ms`, `2.5 s`, `3 min 20 s`, `2 h 5 min`, `4 d 2 h`. */
export function formatDuration(seconds: number): string {
  if (!Number.isFinite(seconds)) return '–';
  const exact = Math.abs(seconds) * 1000;
  const milliseconds = Math.round(exact);
  if (exact > 0 && exact < 0.1) return '< 0.1 ms';
  if (exact < 9.95) return `${Number(exact.toFixed(1))} ms`;
  if (milliseconds < 1000) return `${milliseconds} ms`;
  if (milliseconds < 9950) return `${Number((milliseconds / 1000).toFixed(1))} s`;
  return formatUnits(Math.round(milliseconds / 1000));
}

function formatUnits(seconds: number): string {
  const units = [
    ['d', 86_400],
    ['h', 3_600],
    ['min', 60],
    ['s', 1],
  ] as const;
  const first = units.findIndex(([, size]) => seconds >= size);
  const [unit, size] = units[first];
  const parts = [`${Math.floor(seconds / size)} ${unit}`];
  const [smaller, smallerSize] = units[first + 1] ?? units[first];
  const rest = Math.floor((seconds % size) / smallerSize);
  if (rest > 0) parts.push(`${rest} ${smaller}`);
  return parts.join(' ');
}

/** Formats a time relative to the present, both in milliseconds: `in 12 s`, `3 min ago`, `now`. */
export function formatRelative(at: number, now: number): string {
  const seconds = Math.round((at - now) / 1000);
  if (seconds === 0) return 'now';
  const [largest] = formatDuration(seconds).match(/^[\d.]+ \w+/) ?? [''];
  return seconds > 0 ? `in ${largest}` : `${largest} ago`;
}

/** Formats a time relative to the present, with the time of the day: `in 23 s (15:33:59)`. */
export function formatBoth(at: number, now: number): string {
  return `${formatRelative(at, now)} (${formatAbsolute(at, now)})`;
}

/** Formats a time of the day, with the date if it is another day than the present one. */
export function formatAbsolute(at: number, now: number): string {
  const date = new Date(at);
  const isToday = new Date(now).toDateString() === date.toDateString();
  return isToday ? TIME.format(date) : `${DATE.format(date)}, ${TIME.format(date)}`;
}

/** Formats a time with the date and the milliseconds, for tooltips. */
export function formatExact(at: number): string {
  const date = new Date(at);
  return `${DATE.format(date)}, ${TIME.format(date)}.${String(date.getMilliseconds()).padStart(3, '0')}`;
}

/** Formats a path of field names: `spec.ports.0`, `metadata.labels["example.com/a"]`. */
export function formatPath(path: readonly (string | number)[]): string {
  if (path.length === 0) return '(everything)';
  return path.reduce<string>((text, part) => {
    if (!/^[\w-]+$/.test(String(part))) return `${text}[${JSON.stringify(part)}]`;
    return text === '' ? String(part) : `${text}.${part}`;
  }, '');
}

/** Formats a value in one line, cut after so many characters. */
export function formatValue(value: unknown, length = 200): string {
  if (value === undefined || value === null) return 'absent';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}

/** Formats bytes: `48.2 MB`. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  return `${Number((bytes / 1000 ** power).toFixed(power === 0 ? 0 : 1))} ${units[power]}`;
}
