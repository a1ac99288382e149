import { isIPv4, isIPv6 } from 'node:net';
import { isDuration } from './duration.format.js';
import type { StructuralSchema } from './structural.schema.js';

const FORMATS: Readonly<Record<string, RegExp | ((text: string) => boolean)>> = {
  bsonobjectid: /^[0-9a-fA-F]{24}$/,
  byte: /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
  cidr: isCidr,
  creditcard: isCreditCard,
  date: (text) => /^\d{4}-\d\d-\d\d$/.test(text) && isDate(text),
  'date-time': (text) =>
    /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:?\d\d)$/.test(text) && isDate(text.slice(0, 10)),
  duration: isDuration,
  email: /^[^@\s]+@[^@\s]+$/,
  hexcolor: /^#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/,
  hostname: isHostname,
  ipv4: isIPv4,
  ipv6: (text) => isIPv6(text) && !text.includes('%'),
  isbn: (text) => isIsbn10(text) || isIsbn13(text),
  isbn10: isIsbn10,
  isbn13: isIsbn13,
  'k8s-long-name': (text) =>
    text.length <= 253 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(text),
  'k8s-short-name': (text) => text.length <= 63 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(text),
  mac: /^(?:[0-9a-fA-F]{2}(?:[:-][0-9a-fA-F]{2}){5}(?:(?:[:-][0-9a-fA-F]{2}){2})?|(?:[0-9a-fA-F]{4}\.){2}[0-9a-fA-F]{4})$/,
  password: () => true,
  rgbcolor: /^rgb\(\s*(?:25[0-5]|2[0-4]\d|1?\d?\d)\s*(?:,\s*(?:25[0-5]|2[0-4]\d|1?\d?\d)\s*){2}\)$/,
  ssn: /^\d{3}[- ]?\d{2}[- ]?\d{4}$/,
  uri: isUri,
  uuid: uuid('[0-9a-f]'),
  uuid3: uuid('3'),
  uuid4: uuid('4', '[89ab]'),
  uuid5: uuid('5', '[89ab]'),
};

const NUMBER_FORMATS: Readonly<Record<string, readonly string[]>> = {
  integer: ['int32', 'int64'],
  number: ['float', 'double'],
};

/** The format of a schema, unless the server does not know it, or knows it for values of another type only. */
export function formatOf({ type, format }: StructuralSchema): string | undefined {
  if (format === undefined) return undefined;
  const isKnown = !type || type === 'string' ? Object.hasOwn(FORMATS, format) : NUMBER_FORMATS[type]?.includes(format);
  return isKnown ? format : undefined;
}

/** Whether a text has a format; every text has one that is not known. */
export function hasFormat(text: string, format: string): boolean {
  const form = Object.hasOwn(FORMATS, format) ? FORMATS[format]! : undefined;
  if (!form) return true;
  return typeof form === 'function' ? form(text) : form.test(text);
}

function uuid(version: string, variant = '[0-9a-f]'): RegExp {
  const form = `^[0-9a-f]{8}-?[0-9a-f]{4}-?${version}[0-9a-f]{3}-?${variant}[0-9a-f]{3}-?[0-9a-f]{12}$`;
  return new RegExp(form, 'i');
}

function isDate(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

function isCidr(text: string): boolean {
  const [address = '', bits = '', ...rest] = text.split('/');
  if (rest.length > 0 || !/^\d{1,3}$/.test(bits)) return false;
  return (isIPv4(address) && Number(bits) <= 32) || (isIPv6(address) && Number(bits) <= 128);
}

function isHostname(text: string): boolean {
  return (
    text.length <= 255 && text.split('.').every((part) => /^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?$/.test(part))
  );
}

function isUri(text: string): boolean {
  if (text.startsWith('/')) return true;
  return /^[a-zA-Z][a-zA-Z0-9+.-]*:\/\//.test(text) && URL.canParse(text);
}

function digitsOf(text: string): number[] {
  return [...text.replace(/[\s-]/g, '')].map((digit) => (digit === 'X' ? 10 : Number(digit)));
}

function isIsbn10(text: string): boolean {
  const digits = digitsOf(text);
  if (!/^(?:[\d\s-]{9,})[\dX]$/.test(text) || digits.length !== 10) return false;
  return digits.reduce((sum, digit, index) => sum + digit * (10 - index), 0) % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = digitsOf(text);
  if (!/^[\d\s-]+$/.test(text) || digits.length !== 13) return false;
  return digits.reduce((sum, digit, index) => sum + digit * (index % 2 === 0 ? 1 : 3), 0) % 10 === 0;
}

function isCreditCard(text: string): boolean {
  const digits = digitsOf(text).reverse();
  if (!/^[\d\s-]+$/.test(text) || digits.length < 13) return false;
  const doubled = digits.map((digit, index) => (index % 2 === 0 ? digit : digit > 4 ? digit * 2 - 9 : digit * 2));
  return doubled.reduce((sum, digit) => sum + digit, 0) % 10 === 0;
}
