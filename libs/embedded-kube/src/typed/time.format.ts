import { DecodingError } from '../errors/decoding.error.js';

/**
 * Brings a time into the server's form: UTC with seconds, or with microseconds.
 *
 * @throws DecodingError if the text is no time
 */
export function decodeTime(text: string, microseconds: boolean): string | null {
  if (text === '') return null;
  const milliseconds = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(text) ? Date.parse(text) : NaN;
  if (Number.isNaN(milliseconds)) {
    const quoted = JSON.stringify(text);
    throw new DecodingError(
      `parsing time ${JSON.stringify(quoted)} as "2006-01-02T15:04:05Z07:00": cannot parse ${quoted} as "2006"`,
    );
  }
  const seconds = new Date(milliseconds).toISOString().slice(0, 19);
  if (!microseconds) return `${seconds}Z`;
  const fraction = /\.(\d+)/.exec(text)?.[1] ?? '';
  return `${seconds}.${fraction.slice(0, 6).padEnd(6, '0')}Z`;
}
