import { isIP } from 'node:net';
import { maskAddress, readAddress, sameAddress } from '../../common/network.address.js';
import type { NameRule } from '../../resources/name.rules.js';
import type { FieldReport } from './field.report.js';

const ENV_NAME = "a valid environment variable name must consist only of printable ASCII characters other than '='";
const KEY_PATTERN = '[-._a-zA-Z0-9]+';

/** The rule for names of ports: `http`. */
export const portName: NameRule = (name) => {
  const problems: string[] = [];
  if (name.length > 15) problems.push('must be no more than 15 characters');
  if (!/^[-a-z0-9]+$/.test(name))
    problems.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  if (!/[a-z]/.test(name)) problems.push('must contain at least one letter (a-z)');
  if (name.includes('--')) problems.push('must not contain consecutive hyphens');
  if (name.startsWith('-') || name.endsWith('-')) problems.push('must not begin or end with a hyphen');
  return problems;
};

/** The rule for names of environment variables, in the form without the older limits. */
export const envName: NameRule = (name) => (/^[ -<>-~]+$/.test(name) ? [] : [ENV_NAME]);

/** The rule for keys of config maps and secrets. */
export const configKey: NameRule = (key) => {
  const problems: string[] = [];
  if (key.length > 253) problems.push('must be no more than 253 characters');
  if (!new RegExp(`^${KEY_PATTERN}$`).test(key)) {
    problems.push(
      `a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '${KEY_PATTERN}')`,
    );
  }
  if (key === '.') problems.push("must not be '.'");
  else if (key === '..') problems.push("must not be '..'");
  else if (key.startsWith('..')) problems.push("must not start with '..'");
  return problems;
};

const SEARCH_LABEL = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const SEARCH = `${SEARCH_LABEL}(\\.${SEARCH_LABEL})*`;

/** The rule for domains in which names are looked up. */
export const searchDomain: NameRule = (name) => [
  ...(Buffer.byteLength(name) > 253 ? ['must be no more than 253 characters'] : []),
  ...(new RegExp(`^${SEARCH}$`).test(name)
    ? []
    : [
        `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${SEARCH}')`,
      ]),
];

/** The rule for names as C has them. */
export const cIdentifier: NameRule = (name) =>
  /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)
    ? []
    : [
        "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')",
      ];

/** The rule for names of HTTP headers. */
export const headerName: NameRule = (name) =>
  /^[-A-Za-z0-9]+$/.test(name)
    ? []
    : [
        "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')",
      ];

/** Checks an address in a field that once took more forms than one. @returns whether it can be read */
export function validateAddress(report: FieldReport, path: string, value: unknown): boolean {
  const text = String(value ?? '');
  if (!isAddress(text)) {
    report.invalid(path, text, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)');
    return false;
  }
  if (isIP(text) === 0) report.invalid(path, text, 'must not have leading 0s');
  else if (isMapped(text)) report.invalid(path, text, 'must not be an IPv4-mapped IPv6 address');
  else return true;
  return false;
}

/** Whether an address of version 6 stands for one of version 4. */
function isMapped(text: string): boolean {
  return isIP(text) === 6 && new URL(`http://[${text}]`).hostname.startsWith('[::ffff:');
}

export function isAddress(text: string): boolean {
  return addressOf(text) !== undefined;
}

/** Reads an address without leading zeros, which Go once read as decimal; `undefined` for what is none. */
export function addressOf(text: string): string | undefined {
  if (isIP(text) !== 0) return text.includes('%') ? undefined : text;
  if (!/^\d{1,4}(\.\d{1,4}){3}$/.test(text)) return undefined;
  const parts = text.split('.').map(Number);
  return parts.every((part) => part <= 255) ? parts.join('.') : undefined;
}

/** Checks a range of addresses: `10.0.0.0/8`. */
export function validateRange(report: FieldReport, path: string, value: unknown): void {
  const text = String(value ?? '');
  if (!isRange(text)) {
    return report.invalid(path, text, 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)');
  }
  const [address = '', bits = ''] = text.split('/');
  if (isIP(address) === 0 || /^0\d/.test(bits)) {
    return report.invalid(path, text, 'must not have leading 0s in IP or prefix length');
  }
  if (isMapped(address)) return report.invalid(path, text, 'must not have an IPv4-mapped IPv6 address');
  const read = readAddress(address);
  if (!sameAddress(read, maskAddress(read, Number(bits)))) {
    report.invalid(path, text, 'must not have bits set beyond the prefix length');
  }
}

export function isRange(text: string): boolean {
  const [address = '', bits = ''] = text.split('/');
  const family = isIP(addressOf(address) ?? '');
  return (
    family !== 0 && /^\d+$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128) && text.split('/').length === 2
  );
}

/** Checks a path inside a volume: relative, and without steps back. */
export function validateInnerPath(report: FieldReport, path: string, value: unknown, reserved = false): void {
  const text = String(value ?? '');
  if (text.startsWith('/')) report.invalid(path, text, 'must be a relative path');
  validateNoBacksteps(report, path, text);
  if (reserved && text.startsWith('..') && !text.startsWith('../') && text !== '..') {
    report.invalid(path, text, "must not start with '..'");
  }
}

export function validateNoBacksteps(report: FieldReport, path: string, text: string): void {
  if (text.split('/').includes('..')) report.invalid(path, text, "must not contain '..'");
}
