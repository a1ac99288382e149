import type { ObjectDiff } from '../../objects/diffs.js';
import { diff } from '../../objects/diffs.js';
import { isMap } from 'kube-common';
import type { KubeObject } from '../../objects/kube-object.js';
import type { OperatorFieldDifference } from './operator.event.js';

/** Fields that the server writes at each change. */
const SERVER_FIELDS = ['resourceVersion', 'uid', 'managedFields', 'generation', 'creationTimestamp', 'selfLink'];

/**
 * Finds the fields in which two states of an object differ, without those that the server writes at each change.
 *
 * @param previous is absent if the object was not there before.
 * @param redact leaves out what must not be shown.
 */
export function findDifferences(
  previous: KubeObject | undefined,
  object: KubeObject,
  redact: (diff: ObjectDiff) => ObjectDiff,
): readonly OperatorFieldDifference[] {
  const items = redact(diff(previous ? ownFields(previous) : {}, ownFields(object)));
  return items.flatMap(([, path, before, after]) => leavesOf(path, before, after));
}

/** Divides a map that was added or removed into its fields. */
function leavesOf(path: readonly string[], before: unknown, after: unknown): readonly OperatorFieldDifference[] {
  const map = before ?? after;
  const isWhole = before === null || after === null;
  if (!isWhole || !isMap(map) || Object.keys(map).length === 0)
    return [{ path, old: plain(before), new: plain(after) }];
  return Object.entries(map).flatMap(([name, value]) =>
    before === null ? leavesOf([...path, name], null, value) : leavesOf([...path, name], value, null),
  );
}

/** Makes texts of integers that JSON cannot hold exactly. */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return value.map(plain);
  if (!isMap(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plain(each)]));
}

function ownFields({ kind: _kind, apiVersion: _version, metadata, ...fields }: KubeObject): object {
  const own = Object.entries(metadata).filter(([name]) => !SERVER_FIELDS.includes(name));
  return { metadata: Object.fromEntries(own), ...fields };
}
