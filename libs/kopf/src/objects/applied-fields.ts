import { deepEqual, isMap, type JsonMap } from 'kube-common';
import type { KubeObject } from './kube-object.js';

interface ManagedFields {
  readonly manager?: string;
  readonly operation?: string;
  readonly subresource?: string;
  readonly fieldsV1?: JsonMap;
}

/**
 * Extracts the fields of an object that a manager has applied, with their values: it must apply them again to keep them.
 *
 * @param subresource the subresource by which they were applied; absent if they were applied with the whole object.
 */
export function ownedFields(body: KubeObject, manager: string, subresource?: string): JsonMap {
  const entries = (body.metadata.managedFields ?? []) as readonly ManagedFields[];
  const own = entries.find(
    (entry) =>
      entry.operation === 'Apply' && entry.manager === manager && (entry.subresource || undefined) === subresource,
  );
  return own?.fieldsV1 ? (extract(body, own.fieldsV1) as JsonMap) : {};
}

/** Lists the removals of a merge patch that an object does not show yet, as another manager owns the fields, too. */
export function pendingRemovals(fields: JsonMap, body: unknown): JsonMap | undefined {
  if (!isMap(body)) return undefined;
  let pending: JsonMap | undefined;
  for (const [name, value] of Object.entries(fields)) {
    if (body[name] === undefined) continue;
    const left = value === null ? null : isMap(value) ? pendingRemovals(value, body[name]) : undefined;
    if (left !== undefined) (pending ??= {})[name] = left;
  }
  return pending;
}

/**
 * Extracts the fields of a set of managed fields: `f:` stands for a field, `k:` and `v:` for an item by its keys or its value, and `.` for
 * the value itself.
 */
function extract(value: unknown, fields: JsonMap): unknown {
  const names = Object.keys(fields).filter((name) => name !== '.');
  if (names.length === 0 && !('.' in fields)) return value;
  if (Array.isArray(value)) {
    return names.flatMap((name) => {
      const item = (value as readonly unknown[]).find((each) => isNamed(each, name));
      return item === undefined ? [] : [extract(item, fields[name] as JsonMap)];
    });
  }
  if (!isMap(value)) return value;
  const found = names
    .map((name) => [name.slice('f:'.length), fields[name] as JsonMap] as const)
    .filter(([name]) => value[name] !== undefined);
  return Object.fromEntries(found.map(([name, inner]) => [name, extract(value[name], inner)]));
}

function isNamed(item: unknown, name: string): boolean {
  const wanted = JSON.parse(name.slice('k:'.length)) as unknown;
  if (name.startsWith('v:')) return deepEqual(item, wanted);
  return isMap(item) && isMap(wanted) && Object.entries(wanted).every(([key, value]) => deepEqual(item[key], value));
}
