import { type FieldError, invalidField } from '../errors/field.error.js';
import { isMapping, isNumeric } from '../common/json.values.js';
import type { Draft } from '../resources/kube-object.js';
import type { ScalePaths } from '../resources/served.resource.js';

const MAXIMUM = 2 ** 31 - 1;

/**
 * Checks the fields behind the scale of a custom resource, also where its schema allows other values.
 *
 * @param isStatus checks what is in the status only
 */
export function validateReplicas(object: Draft, paths: ScalePaths, isStatus: boolean): FieldError[] {
  return [
    ...(isStatus ? [] : validateNumber(object, paths.specReplicas)),
    ...validateNumber(object, paths.statusReplicas),
    ...(paths.labelSelector ? validateText(object, paths.labelSelector) : []),
  ];
}

function validateNumber(object: Draft, path: string): FieldError[] {
  const found = valueAt(object, path);
  if ('error' in found) return [invalidField(path, 0, found.error)];
  const { value } = found;
  if (value === undefined) return [];
  if (!isInteger(value)) return [invalidField(path, 0, mismatch(path, value, 'int64'))];
  if (value < 0) return [invalidField(path, value, 'should be a non-negative integer')];
  return value > MAXIMUM ? [invalidField(path, value, `should be less than or equal to ${MAXIMUM}`)] : [];
}

function validateText(object: Draft, path: string): FieldError[] {
  const found = valueAt(object, path);
  if ('error' in found) return [invalidField(path, '', found.error)];
  const { value } = found;
  return value === undefined || typeof value === 'string'
    ? []
    : [invalidField(path, '', mismatch(path, value, 'string'))];
}

/** Follows a path such as `.spec.replicas`; returns undefined where it ends early. */
function valueAt(object: Draft, path: string): { readonly value: unknown } | { readonly error: string } {
  let value: unknown = object;
  for (const name of path.split('.').slice(1)) {
    if (value === undefined) break;
    if (!isMapping(value)) return { error: mismatch(path, value, 'map[string]interface{}') };
    value = value[name];
  }
  return { value };
}

function mismatch(path: string, value: unknown, expected: string): string {
  return `${path} accessor error: ${goText(value)} is of the type ${goType(value)}, expected ${expected}`;
}

function isInteger(value: unknown): value is number | bigint {
  return typeof value === 'bigint' || Number.isSafeInteger(value);
}

/** Returns the name that Go has for the type of a JSON value. */
function goType(value: unknown): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  if (isNumeric(value)) return isInteger(value) ? 'int64' : 'float64';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'string' ? 'string' : 'map[string]interface {}';
}

/** Returns a JSON value as Go prints it. */
function goText(value: unknown): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`;
  if (!isMapping(value)) return String(value);
  const members = Object.keys(value).sort();
  return `map[${members.map((name) => `${name}:${goText(value[name])}`).join(' ')}]`;
}
