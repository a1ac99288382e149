import type { Diff } from './diffs.js';
import type { FieldPath } from './field-path.js';
import type { JsonPatchOperation } from './json-patch.js';
import { isMap, type JsonMap } from 'kube-common';

/** Replaces values that must not be shown. */
export const REDACTED = '***';

/** Matches names of fields on one level: one of them, any with `*`, or those that a function picks. */
export type NamePattern = string | ((name: string) => boolean);

/** Leads to fields whose values must not be shown, with all that is in them. */
export type FieldPattern = readonly NamePattern[];

/** The fields of Secrets that hold no values; annotations can hold copies of the whole Secret, and other fields are unknown. */
const HARMLESS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'type', 'immutable', 'metadata']);

/** The values of annotations: they hold copies of other fields, such as the last handled configuration. */
export const ANNOTATIONS: FieldPattern = ['metadata', 'annotations'];

/** All values that a Secret can hold. */
export const SECRET_FIELDS: readonly FieldPattern[] = [[(name) => !HARMLESS.has(name)], ANNOTATIONS];

/** An object, or a merge patch of one, as it can be shown: with the names of the fields, but without their values. */
export function redactObject(object: unknown, patterns: readonly FieldPattern[]): unknown {
  if (patterns.length === 0) return object;
  return isMap(object) ? redact(object, patterns) : REDACTED;
}

/** A patch of an object as it can be shown: a merge patch, or a list of operations. */
export function redactPatch(patch: unknown, patterns: readonly FieldPattern[]): unknown {
  if (patterns.length === 0 || !Array.isArray(patch)) return redactObject(patch, patterns);
  return (patch as readonly JsonPatchOperation[]).map((operation) => {
    if (!('value' in operation)) return operation;
    const path = operation.path.split('/').slice(1);
    return { ...operation, value: redactAt(path.map(unescapePointer), operation.value, patterns) };
  });
}

/** A diff of an object as it can be shown. */
export function redactDiff(diff: Diff, patterns: readonly FieldPattern[]): unknown {
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

/** Makes the value that replaces another one at a path. */
export type ValueReplacement = (value: unknown, path: FieldPath) => unknown;

/**
 * A copy of an object in which other values stand where patterns lead to, and below. Names in maps stay, and so do `null`s, which
 * remove a value in patches; a list is one value.
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

/** Patterns need no `*` for the items of a list: a forgotten one must not show what is to be hidden. */
function enterItem(patterns: readonly FieldPattern[], index: string): readonly FieldPattern[] {
  return [...patterns, ...enter(patterns, index)];
}

function matches(pattern: NamePattern, name: string): boolean {
  return typeof pattern === 'function' ? pattern(name) : pattern === '*' || pattern === name;
}

/** Tells whether a name in a path can be a position in a list. */
function isPosition(name: string): boolean {
  return name === '-' || /^\d+$/.test(name);
}

function unescapePointer(name: string): string {
  return name.replaceAll('~1', '/').replaceAll('~0', '~');
}
