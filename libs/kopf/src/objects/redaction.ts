import type { ObjectDiff } from './diffs.js';
import type { FieldPath } from './field-path.js';
import type { JsonPatchOperation } from './json-patch.js';
import { isMap, type JsonMap } from 'kube-common';

/** The text that replaces values that must not be shown. */
export const REDACTED = '***';

/** A pattern of names of fields on one level: one name, any name with `*`, or the names that a function selects. */
export type NamePattern = string | ((name: string) => boolean);

/** The path of fields whose values must not be shown, with everything in them. */
export type FieldPattern = readonly NamePattern[];

/** The fields of Secrets without secret values; annotations can have copies of the whole Secret, and other fields are unknown. */
const HARMLESS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'type', 'immutable', 'metadata']);

/** The annotations: they can have copies of other fields, such as the last handled configuration. */
export const ANNOTATIONS: FieldPattern = ['metadata', 'annotations'];

/** All fields of a Secret that can have secret values. */
export const SECRET_FIELDS: readonly FieldPattern[] = [[(name) => !HARMLESS.has(name)], ANNOTATIONS];

/** Redacts an object, or a merge patch: the names of the fields stay, their values are replaced. */
export function redactObject(object: unknown, patterns: readonly FieldPattern[]): unknown {
  if (patterns.length === 0) return object;
  return isMap(object) ? redact(object, patterns) : REDACTED;
}

/** Redacts a patch of an object: a merge patch, or a list of operations. */
export function redactPatch(patch: unknown, patterns: readonly FieldPattern[]): unknown {
  if (patterns.length === 0 || !Array.isArray(patch)) return redactObject(patch, patterns);
  return (patch as readonly JsonPatchOperation[]).map((operation) => {
    if (!('value' in operation)) return operation;
    const path = operation.path.split('/').slice(1);
    return { ...operation, value: redactAt(path.map(unescapePointer), operation.value, patterns) };
  });
}

/** Redacts a diff of an object. */
export function redactDiff(diff: ObjectDiff, patterns: readonly FieldPattern[]): unknown {
  if (patterns.length === 0) return diff;
  return diff.map(([operation, path, before, after]) => [
    operation,
    path,
    redactAt(path, before, patterns),
    redactAt(path, after, patterns),
  ]);
}

function redactAt(path: FieldPath, value: unknown, patterns: readonly FieldPattern[]): unknown {
  let reached = patterns;
  for (const name of path) {
    if (reached.some(isReached)) break;
    reached = isPosition(name) ? enterItem(reached, name) : enter(reached, name);
  }
  return redact(value, reached);
}

function redact(value: unknown, patterns: readonly FieldPattern[]): unknown {
  return replaceValues(value, patterns, () => REDACTED);
}

/** A function that creates the replacement of a value at a path. */
export type ValueReplacement = (value: unknown, path: FieldPath) => unknown;

/**
 * Copies an object, and replaces the values at the paths of patterns, and below. Names in maps stay, and so do `null`s, which remove a
 * value in patches; a list is one value.
 */
export function replaceValues(
  value: unknown,
  patterns: readonly FieldPattern[],
  replace: ValueReplacement,
  path: FieldPath = [],
): unknown {
  if (patterns.length === 0) return value;
  if (patterns.some(isReached)) return replaceLeaves(value, replace, path);
  const inner = (item: unknown, name: string, reached: readonly FieldPattern[]): unknown =>
    replaceValues(item, reached, replace, [...path, name]);
  if (Array.isArray(value)) return value.map((item, at) => inner(item, String(at), enterItem(patterns, String(at))));
  return isMap(value) ? mapValues(value, (item, name) => inner(item, name, enter(patterns, name))) : value;
}

function replaceLeaves(value: unknown, replace: ValueReplacement, path: FieldPath): unknown {
  if (value === null || value === undefined) return value;
  if (!isMap(value)) return replace(value, path);
  return mapValues(value, (item, name) => replaceLeaves(item, replace, [...path, name]));
}

function mapValues(map: JsonMap, change: (value: unknown, name: string) => unknown): JsonMap {
  return Object.fromEntries(Object.entries(map).map(([name, value]) => [name, change(value, name)]));
}

function isReached(pattern: FieldPattern): boolean {
  return pattern.length === 0;
}

function enter(patterns: readonly FieldPattern[], name: string): readonly FieldPattern[] {
  return patterns.filter(([first]) => matches(first, name)).map((pattern) => pattern.slice(1));
}

/** Returns the patterns for an item of a list. They need no `*` for the items: a forgotten one must not show a secret value. */
function enterItem(patterns: readonly FieldPattern[], index: string): readonly FieldPattern[] {
  return [...patterns, ...enter(patterns, index)];
}

function matches(pattern: NamePattern, name: string): boolean {
  return typeof pattern === 'function' ? pattern(name) : pattern === '*' || pattern === name;
}

/** Checks whether a name in a path can be a position in a list. */
function isPosition(name: string): boolean {
  return name === '-' || /^\d+$/.test(name);
}

function unescapePointer(name: string): string {
  return name.replaceAll('~1', '/').replaceAll('~0', '~');
}
