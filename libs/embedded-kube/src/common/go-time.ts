const LAYOUT = '2006-01-02T15:04:05Z07:00';
const MICRO_LAYOUT = '2006-01-02T15:04:05.000000Z07:00';
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** The parts of the layout: its text, the digits that it stands for, and the highest value with the name that Go has for it. */
const PARTS: readonly (readonly [text: string, digits: number, range?: readonly [number, number, string]])[] = [
  ['2006', 4],
  ['-', 0],
  ['01', 2, [1, 12, 'month']],
  ['-', 0],
  ['02', 2, [0, 31, 'day']],
  ['T', 0],
  ['15', 2, [0, 23, 'hour']],
  [':', 0],
  ['04', 2, [0, 59, 'minute']],
  [':', 0],
  ['05', 2, [0, 59, 'second']],
];

/** The form in which times are usually written, with the digits of a second behind the point. */
const USUAL = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.(\d+))?Z$/;

/** Checks whether a time can be read at first sight, as nearly all can; all other times are read part by part. */
function isUsual(text: string, isMicro: boolean): boolean {
  const [found, month, day, fraction] = USUAL.exec(text) ?? [];
  return found !== undefined && Number(day) <= DAYS[Number(month) - 1]! && (!isMicro || fraction?.length === 6);
}

/** Returns a time that can be read in whole seconds, in UTC, as it is stored: clients can send fractions of a second, or another time zone. */
export function toWholeSeconds(text: string): string {
  return `${new Date(text).toISOString().slice(0, 19)}Z`;
}

/**
 * Describes what Go finds wrong with a time in RFC 3339; `undefined` if it can be read.
 *
 * @param isMicro requires six digits of a second
 */
export function describeTimeError(text: string, isMicro = false): string | undefined {
  if (isUsual(text, isMicro)) return undefined;
  const quoted = quoteTime(text);
  const mismatch = (rest: string, part: string): string =>
    `parsing time ${quoted} as ${quoteTime(isMicro ? MICRO_LAYOUT : LAYOUT)}: cannot parse ${quoteTime(rest)} as ${quoteTime(part)}`;
  const values: number[] = [];
  let rest = text;
  let outside: string | undefined;
  for (const [part, digits, range] of PARTS) {
    if (digits === 0) {
      if (!rest.startsWith(part)) return mismatch(rest, part);
      rest = rest.slice(part.length);
      continue;
    }
    // Hours may have one digit.
    const [found] = (part === '15' ? /^\d\d?/ : new RegExp(`^\\d{${digits}}`)).exec(rest) ?? [];
    if (found === undefined) return mismatch(rest, part);
    const value = Number(found);
    rest = rest.slice(found.length);
    values.push(value);
    if (range && (value < range[0] || value > range[1])) outside ??= range[2];
    if (part === '05' && isMicro && !/^[.,]\d{6}/.test(rest)) return mismatch(rest, '.000000');
    if (part === '05') rest = rest.replace(isMicro ? /^[.,]\d{6}/ : /^[.,]\d+/, '');
    if (outside) return `parsing time ${quoted}: ${outside} out of range`;
  }
  if (rest.startsWith('Z')) rest = rest.slice(1);
  else {
    const zone = /^[+-](\d\d):(\d\d)/.exec(rest);
    if (!zone) return mismatch(rest, 'Z07:00');
    if (Number(zone[1]) > 24) return `parsing time ${quoted}: time zone offset hour out of range`;
    if (Number(zone[2]) > 60) return `parsing time ${quoted}: time zone offset minute out of range`;
    rest = rest.slice(zone[0].length);
  }
  if (rest) return `parsing time ${quoted}: extra text: ${quoteTime(rest)}`;
  const [year = 0, month = 1, day = 1] = values;
  const isLeap = month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return day < 1 || day > DAYS[month - 1]! + (isLeap ? 1 : 0) ? `parsing time ${quoted}: day out of range` : undefined;
}

/** Quotes a text as Go's package for times does: other bytes than printable ASCII are escaped one by one. */
function quoteTime(text: string): string {
  const escaped = [...Buffer.from(text)].map((byte) => {
    const character = String.fromCharCode(byte);
    if (byte >= 0x80 || byte < 0x20) return `\\x${byte.toString(16).padStart(2, '0')}`;
    return character === '"' || character === '\\' ? `\\${character}` : character;
  });
  return `"${escaped.join('')}"`;
}
