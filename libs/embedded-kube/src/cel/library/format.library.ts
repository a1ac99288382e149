import { label, label1035, labelValue, qualifiedName, subdomain } from '../../resources/name.rules.js';
import type { CelDeclaration } from '../checking/cel.functions.js';
import { type CelType, struct } from '../values/cel.type.js';
import { readTimestamp } from '../values/cel.time.js';
import { CelOpaque, CelOptional } from '../values/cel.value.js';
import { readUrl } from './url.library.js';

/** The type of named formats in expressions. */
export const FORMAT: CelType = struct('kubernetes.NamedFormat');

class CelFormat extends CelOpaque {
  override readonly type = FORMAT;

  constructor(
    readonly name: string,
    readonly violations: (text: string) => string[],
  ) {
    super();
  }

  override equals(other: CelFormat): boolean {
    return this.name === other.name;
  }

  override get size(): number {
    return this.name.length;
  }
}

function form(holds: (text: string) => boolean, message: string): (text: string) => string[] {
  return (text) => (holds(text) ? [] : [message]);
}

/** Makes a rule for prefixes of names, which may end with a dash, as more follows. */
function prefixOf(rule: (name: string) => string[]): (text: string) => string[] {
  return (text) => rule(text.length > 1 && text.endsWith('-') ? `${text.slice(0, -1)}a` : text);
}

const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

function isDate(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && readTimestamp(`${text}T00:00:00Z`) !== undefined;
}

const FORMATS: Readonly<Record<string, CelFormat>> = Object.fromEntries(
  (
    [
      ['dns1123Label', 'DNS1123Label', label],
      ['dns1123Subdomain', 'DNS1123Subdomain', subdomain],
      ['dns1035Label', 'DNS1035Label', label1035],
      ['qualifiedName', 'QualifiedName', qualifiedName],
      ['dns1123LabelPrefix', 'DNS1123LabelPrefix', prefixOf(label)],
      ['dns1123SubdomainPrefix', 'DNS1123SubdomainPrefix', prefixOf(subdomain)],
      ['dns1035LabelPrefix', 'DNS1035LabelPrefix', prefixOf(label1035)],
      ['labelValue', 'LabelValue', labelValue],
      ['uri', 'URI', uriViolations],
      ['uuid', 'uuid', form((text) => UUID.test(text), 'does not match the UUID format')],
      ['byte', 'byte', form((text) => text !== '' && BASE64.test(text), 'invalid base64')],
      ['date', 'date', form(isDate, 'invalid date')],
      ['datetime', 'datetime', form((text) => readTimestamp(text) !== undefined, 'invalid datetime')],
    ] as const
  ).map(([key, name, violations]) => [key, new CelFormat(name, violations)]),
);

function uriViolations(text: string): string[] {
  const parts = readUrl(text);
  return typeof parts === 'string' ? [parts] : [];
}

function validate(format: CelFormat, text: string): CelOptional {
  const violations = format.violations(text);
  return violations.length === 0 ? CelOptional.NONE : new CelOptional(violations);
}

function named(name: string): CelOptional {
  const format = Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined;
  return format ? new CelOptional(format) : CelOptional.NONE;
}

const TYPE = '&kubernetes.NamedFormat';

/** Kubernetes' functions on named formats. */
export const FORMAT_LIBRARY: readonly CelDeclaration[] = [
  ...Object.entries(FORMATS).map(([name, format]): CelDeclaration => [
    `format.${name}`,
    `'format.${name}'() ${TYPE}`,
    () => format,
  ]),
  ['format-named', `'format.named'(string) optional(${TYPE})`, named],
  ['format-validate', `${TYPE}.validate(string) optional(list(string))`, validate],
];
