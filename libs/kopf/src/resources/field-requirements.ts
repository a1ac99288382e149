import type { KubeObject } from '../objects/kube-object.js';
import { resolveField } from '../objects/field-path.js';
import { isMap } from 'kube-common';
import { normalizeRequirements, type ObjectRequirement } from './label-requirements.js';

const PATH = /^[A-Za-z][\w-]*(?:\.[A-Za-z][\w-]*)*$/;

/**
 * Reads a field selector in the API's syntax, or as values by their paths.
 *
 * @throws TypeError if the API server would not understand it, or it selects everything.
 */
export function parseFieldRequirements(fields: unknown): readonly ObjectRequirement[] {
  const requirements = typeof fields === 'string' ? parseText(fields) : parseValues(fields);
  if (requirements.length === 0) throw new TypeError('the field selector is empty');
  return normalizeRequirements(requirements);
}

/** Splits a selector into requirements; commas, equality signs, and backslashes in values are escaped with backslashes. */
function parseText(text: string): ObjectRequirement[] {
  const terms = text.match(/(?:\\.|[^,\\])+/gs) ?? [];
  return terms.map((term) => {
    const [, path, operator, value] = /^\s*([^=!]*?)\s*(==|=|!=)((?:\\[\\,=]|[^\\,=])*)$/s.exec(term) ?? [];
    if (path === undefined) throw new TypeError(`${JSON.stringify(term)} is not a requirement on a field`);
    return createRequirement(path, operator !== '!=', value.replaceAll(/\\(.)/gs, '$1'));
  });
}

function parseValues(fields: unknown): ObjectRequirement[] {
  if (!isMap(fields)) throw new TypeError('the field selector is neither a text nor an object');
  return Object.entries(fields).map(([path, value]) => {
    if (typeof value !== 'string') throw new TypeError(`the value of ${path} is not a string`);
    return createRequirement(path, true, value);
  });
}

function createRequirement(path: string, isEqual: boolean, value: string): ObjectRequirement {
  if (!PATH.test(path)) throw new TypeError(`${JSON.stringify(path)} is not a path such as "status.phase"`);
  const names = path.split('.');
  return {
    text: `${path}${isEqual ? '=' : '!='}${value.replaceAll(/[\\,=]/g, (sign) => `\\${sign}`)}`,
    check: (object) => (read(object, names) === value) === isEqual,
  };
}

/** Reads a field as the API server compares it: all values are texts, and an absent field is an empty text. */
function read(object: KubeObject, names: readonly string[]): string {
  const value = resolveField(object, names);
  return value === undefined || value === null ? '' : String(value);
}
