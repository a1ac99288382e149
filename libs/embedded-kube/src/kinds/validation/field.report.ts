// kinds/validation: the rules of the built-in kinds, with the messages and in the order of the real server.
// A function takes a report, the path of a value, and the value, and reports what is wrong.
import {
  duplicateField,
  type FieldError,
  forbiddenField,
  invalidField,
  longField,
  manyField,
  requiredField,
  unsupportedField,
  violatedField,
} from '../../errors/field.error.js';
import { isMapping } from '../../common/json.values.js';
import type { NameRule } from '../../resources/name.rules.js';
import { POINTER_FIELDS } from '../../typed/pointer-fields.data.js';

/** The fields of a structure. */
export type Values = Readonly<Record<string, unknown>>;

/** The violations of an object, in the order in which they are found. */
export class FieldReport {
  readonly errors: FieldError[] = [];

  required(path: string, detail = ''): void {
    this.errors.push(requiredField(path, detail));
  }

  invalid(path: string, value: unknown, detail: string): void {
    this.errors.push(invalidField(path, value ?? null, detail));
  }

  /** Reports what is wrong with a value that is not shown. */
  violated(path: string, detail: string): void {
    this.errors.push(violatedField(path, detail));
  }

  forbidden(path: string, detail: string): void {
    this.errors.push(forbiddenField(path, detail));
  }

  duplicate(path: string, value: unknown): void {
    this.errors.push(duplicateField(path, value));
  }

  notFound(path: string, value: unknown, detail = ''): void {
    const message = `Not found: ${JSON.stringify(value)}${detail ? `: ${detail}` : ''}`;
    this.errors.push({ reason: 'FieldValueNotFound', message, field: path });
  }

  /** Reports that a value could not be checked. */
  internal(path: string, problem: string): void {
    this.errors.push({ reason: 'InternalError', message: `Internal error: ${problem}`, field: path });
  }

  tooMany(path: string, actual: number, limit: number): void {
    this.errors.push(manyField(path, actual, limit));
  }

  tooLong(path: string, limit: number): void {
    this.errors.push(longField(path, limit));
  }

  /** Reports a value that is none of those that are supported. */
  oneOf(path: string, value: unknown, supported: readonly string[]): void {
    if (!supported.includes(textOf(value))) this.errors.push(unsupportedField(path, value ?? '', supported));
  }

  /** Reports an empty value, or one that is none of those that are supported. */
  oneOfRequired(path: string, value: unknown, supported: readonly string[], detail = ''): void {
    if (textOf(value) === '') this.required(path, detail);
    else this.oneOf(path, value, supported);
  }

  /** Reports a value other than those that are supported, if there is one. */
  oneOfOptional(path: string, value: unknown, supported: readonly string[]): void {
    if (value !== undefined) this.oneOf(path, value, supported);
  }

  /** Reports each way in which a text breaks a rule. */
  named(path: string, value: unknown, rule: NameRule): void {
    for (const problem of rule(textOf(value))) this.invalid(path, value ?? '', problem);
  }

  /** Reports an empty name, or one that breaks a rule. */
  namedRequired(path: string, value: unknown, rule: NameRule): void {
    if (textOf(value) === '') this.required(path);
    else this.named(path, value, rule);
  }

  requiredText(path: string, value: unknown, detail = ''): boolean {
    if (textOf(value) !== '') return true;
    this.required(path, detail);
    return false;
  }

  nonNegative(path: string, value: unknown): void {
    if (value !== undefined && Number(value) < 0) this.invalid(path, value, 'must be greater than or equal to 0');
  }

  positive(path: string, value: unknown): void {
    if (Number(value ?? 0) <= 0) this.invalid(path, value ?? 0, 'must be greater than zero');
  }

  inRange(path: string, value: unknown, lowest: number, highest: number): void {
    const number = Number(value);
    if (number < lowest || number > highest) {
      this.invalid(path, value, `must be between ${lowest} and ${highest}, inclusive`);
    }
  }

  port(path: string, value: unknown): void {
    this.inRange(path, value ?? 0, 1, 65_535);
  }

  /** Reports a value that differs from the one that was stored, and must not. */
  unchanged(path: string, next: unknown, old: unknown): void {
    if (!isSameContent(next, old)) this.invalid(path, next, 'field is immutable');
  }

  fileMode(path: string, value: unknown): void {
    if (value === undefined || (Number(value) >= 0 && Number(value) <= 0o777)) return;
    this.invalid(path, value, 'must be a number between 0 and 0777 (octal), both inclusive');
  }
}

/** Returns the structures of a list. */
export function itemsOf(value: unknown): Values[] {
  return Array.isArray(value) ? value.map((item: unknown) => (isMapping(item) ? item : {})) : [];
}

export function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(textOf) : [];
}

export function textOf(value: unknown): string {
  return value === undefined || value === null ? '' : String(value);
}

/** Returns the structure of a field, `undefined` if there is none. */
export function structOf(value: unknown): Values | undefined {
  return isMapping(value) ? value : undefined;
}

export function countOf(value: unknown): number {
  return Array.isArray(value) ? value.length : isMapping(value) ? Object.keys(value).length : 0;
}

/**
 * Compares contents without what the server writes for fields that are not set: nulls, empty texts, lists and structures. Structures that
 * need not be there are something, even if they are empty.
 */
export function isSameContent(left: unknown, right: unknown): boolean {
  return isSameMember(left, right, '');
}

function isSameMember(left: unknown, right: unknown, name: string): boolean {
  if (isUnset(left, name) || isUnset(right, name)) return isUnset(left, name) && isUnset(right, name);
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, index) => isSameMember(item, right[index], ''));
  }
  if (!isMapping(left) || !isMapping(right)) return left === right;
  return [...new Set([...Object.keys(left), ...Object.keys(right)])].every((key) =>
    isSameMember(left[key], right[key], key),
  );
}

function isUnset(value: unknown, name: string): boolean {
  if (value === undefined || value === null || value === '') return true;
  if (Array.isArray(value)) return value.length === 0;
  if (!isMapping(value) || POINTER_FIELDS.has(name)) return false;
  return Object.entries(value).every(([key, member]) => isUnset(member, key));
}
