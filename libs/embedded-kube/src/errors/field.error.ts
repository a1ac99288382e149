import { stringifyJson } from 'kube-common';
import { quoteGo } from '../common/go-quote.js';
import type { StatusCause } from './status.error.js';

/** A violation in one field. */
export type FieldError = Required<StatusCause>;

/** Makes the violation of a value that does not follow the field's rules. */
export function invalidField(field: string, value: unknown, detail: string): FieldError {
  const message = `Invalid value: ${renderValue(value)}${detail && `: ${detail}`}`;
  return { reason: 'FieldValueInvalid', message, field };
}

/** Makes the violation of a value that is too large to be shown. */
export function violatedField(field: string, detail: string): FieldError {
  return { reason: 'FieldValueInvalid', message: `Invalid value: ${detail}`, field };
}

/** Makes the violation of a value of another type than the schema's. */
export function mistypedField(field: string, value: unknown, detail: string): FieldError {
  return { reason: 'FieldValueTypeInvalid', message: `Invalid value: ${renderValue(value)}: ${detail}`, field };
}

export function requiredField(field: string, detail = ''): FieldError {
  return { reason: 'FieldValueRequired', message: detail ? `Required value: ${detail}` : 'Required value', field };
}

export function forbiddenField(field: string, detail: string): FieldError {
  return { reason: 'FieldValueForbidden', message: `Forbidden: ${detail}`, field };
}

export function unsupportedField(field: string, value: unknown, supported: readonly unknown[]): FieldError {
  const values = supported.map(renderValue).join(', ');
  // The real server shows these as JSON, as most of them are texts of other Go types.
  const message = `Unsupported value: ${renderJson(value)}: supported values: ${values}`;
  return { reason: 'FieldValueNotSupported', message, field };
}

export function duplicateField(field: string, value: unknown): FieldError {
  return { reason: 'FieldValueDuplicate', message: `Duplicate value: ${renderValue(value)}`, field };
}

export function longField(field: string, limit: number): FieldError {
  return { reason: 'FieldValueTooLong', message: `Too long: may not be more than ${limit} bytes`, field };
}

export function manyField(field: string, actual: number, limit: number): FieldError {
  const most = limit === 1 ? '1 item' : `${limit} items`;
  return { reason: 'FieldValueTooMany', message: `Too many: ${actual}: must have at most ${most}`, field };
}

function renderJson(value: unknown): string {
  return (stringifyJson(value) ?? 'null').replace(/[<>&]/g, escapeCharacter);
}

function renderValue(value: unknown): string {
  // Go quotes texts, but writes structures as JSON.
  if (typeof value === 'string') return quoteGo(value);
  const text = stringifyJson(value) ?? 'null';
  return typeof value === 'object' ? text.replace(/[<>&]/g, escapeCharacter) : text;
}

/** Escapes a character as Go's JSON does, so that it can stand in HTML. */
function escapeCharacter(character: string): string {
  return `\\u00${character.charCodeAt(0).toString(16)}`;
}

/** The error for a value that cannot be decoded into the field's type. */
export class DecodingError extends Error {
  override readonly name = 'DecodingError';
}
