const TIMESTAMP = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:[.,](\d{1,9}))?\d*(Z|[+-]\d\d(?::?\d\d)?)?$/i;

/** Formats milliseconds since the epoch as Kopf does: in UTC with six fractional digits, `2020-12-31T23:59:59.123456+00:00`. */
export function formatTimestamp(milliseconds: number): string {
  // Rounded, as fractions are inexact: what is parsed and formatted again stays the same.
  const micros = Math.round(milliseconds * 1000);
  const whole = Math.floor(micros / 1000);
  return `${new Date(whole).toISOString().slice(0, -1)}${String(micros - whole * 1000).padStart(3, '0')}+00:00`;
}

/**
 * Parses an ISO 8601 timestamp to milliseconds since the epoch, with microseconds as a fraction.
 * A timestamp without a time zone is in UTC.
 *
 * @returns `undefined` if there is none or it is not a timestamp.
 */
export function parseTimestamp(text: unknown): number | undefined {
  const match = typeof text === 'string' ? TIMESTAMP.exec(text) : null;
  if (!match) return undefined;
  const [, date, time, fraction = '', zone = 'Z'] = match;
  const offset = /^[+-]\d\d$/.test(zone) ? `${zone}:00` : zone.replace(/^([+-]\d\d)(\d\d)$/, '$1:$2');
  const seconds = Date.parse(`${date}T${time}${offset.toUpperCase()}`);
  if (Number.isNaN(seconds)) return undefined;
  return seconds + Number(fraction.slice(0, 6).padEnd(6, '0')) / 1000;
}

/** Formats a time span in seconds as Kopf does: `1:10:00`, `0:00:08.111854`, `2 days, 0:00:00`. */
export function formatTimeSpan(seconds: number): string {
  const micros = Math.round(seconds * 1_000_000);
  const whole = Math.floor(micros / 1_000_000);
  const days = Math.floor(whole / 86_400);
  const [hours, minutes, rest] = [Math.floor(whole / 3600) % 24, Math.floor(whole / 60) % 60, whole % 60];
  const fraction = micros % 1_000_000;
  const time = `${hours}:${String(minutes).padStart(2, '0')}:${String(rest).padStart(2, '0')}`;
  return [
    days ? `${days} day${days > 1 ? 's' : ''}, ` : '',
    time,
    fraction ? `.${String(fraction).padStart(6, '0')}` : '',
  ].join('');
}
