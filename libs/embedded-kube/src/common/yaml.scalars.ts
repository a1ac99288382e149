import { parseJson } from 'kube-common';

/** Plain scalars that stand for themselves in YAML 1.1, as the real server reads them: `yes` is true. */
const NAMED = new Map<string, unknown>([
  ...['', '~', 'null', 'Null', 'NULL'].map((text) => [text, null] as const),
  ...['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'].map((text) => [text, true] as const),
  ...['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'].map((text) => [text, false] as const),
  ...['.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF'].map((text) => [text, Infinity] as const),
  ...['-.inf', '-.Inf', '-.INF'].map((text) => [text, -Infinity] as const),
  ...['.nan', '.NaN', '.NAN'].map((text) => [text, NaN] as const),
]);
const DECIMAL = /^[-+]?(0|[1-9]\d*)$/;
const OTHER_BASE = /^([-+]?)0(x[\da-f]+|b[01]+|o?[0-7]+)$/i;
const FLOAT = /^[-+]?(\.\d+|\d+(\.\d*)?)(e[-+]?\d+)?$/i;
const SEXAGESIMAL = /^[-+]?\d[\d_]*(:[0-5]?\d)+(\.[\d_]*)?$/;
const TIMESTAMP = /^\d{4}-\d{1,2}-\d{1,2}([Tt ]\d{1,2}:\d{1,2}:\d{1,2}(\.\d+)?([Zz]|[-+]\d\d:\d\d)?)?$/;

/** Returns the value of a scalar without quotes: a text unless it looks like null, a boolean or a number. */
export function resolveScalar(text: string): unknown {
  if (NAMED.has(text)) return NAMED.get(text);
  if (!/^[-+.\d]/.test(text)) return text;
  const plain = text.replaceAll('_', '');
  if (DECIMAL.test(plain)) return parseJson(plain.replace('+', ''));
  const [, sign, digits] = OTHER_BASE.exec(plain) ?? [];
  if (digits !== undefined) return (sign === '-' ? -1 : 1) * Number(/^\d/.test(digits) ? `0o${digits}` : `0${digits}`);
  return FLOAT.test(plain) ? Number(plain) : text;
}

/** Whether a text would be read as something else if it stood without quotes. */
export function needsQuotes(text: string): boolean {
  if (typeof resolveScalar(text) !== 'string') return true;
  return /^[-+\d]/.test(text) && (SEXAGESIMAL.test(text) || TIMESTAMP.test(text));
}
