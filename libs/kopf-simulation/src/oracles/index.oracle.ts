import type { ReadonlyIndex } from 'nestjs-kopf';
import { IndexRegistry, ObjectIndexing, toMapKey } from 'nestjs-kopf/tooling';
import { deepEqual, stringifyJson } from 'kube-common';
import { NO_EVENTS, type RestingOperator } from './resting.operator.js';
import type { Violation } from './violation.js';

/** Fills new indices with the objects of the cluster, and compares them with the indices of an operator at rest. */
export async function checkIndices(operator: RestingOperator): Promise<readonly Violation[]> {
  const { engine, objects } = operator;
  const actual = operator.get(IndexRegistry);
  if (actual.names.length === 0) return [];
  const expected = new IndexRegistry();
  expected.declare(actual.names);
  const indexing = operator.get(ObjectIndexing).withIndices(expected);
  const scope = { monitor: engine.monitor, ending: engine.ending, events: NO_EVENTS };
  for (const { handlers, body, origin, memory, isSelected, isExempt } of objects) {
    if (!isSelected || handlers.indexing.length === 0) continue;
    // The newest event of the object can wait for a patch that is retried without end.
    if (isExempt) return [];
    // A handler that has failed for an object is called again only with its next event, so what it would return is unknown.
    if (memory.indexing) return [];
    await indexing.index(handlers.indexing, body.metadata.uid ?? '', origin, {}, scope);
  }
  return actual.names.flatMap((name) => compare(name, actual.get(name), expected.get(name)));
}

function compare(name: string, actual: ReadonlyIndex, expected: ReadonlyIndex): Violation[] {
  const keys = new Map([...actual.keys(), ...expected.keys()].map((key) => [toMapKey(key), key as unknown]));
  for (const key of keys.values()) {
    const [found, wanted] = [[...(actual.get(key) ?? [])], [...(expected.get(key) ?? [])]];
    if (haveSame(found, wanted)) continue;
    const place = key === null ? '' : ` at the key ${stringifyJson(key)}`;
    const count =
      found.length === wanted.length ? 'other values' : `${found.length} values instead of ${wanted.length}`;
    const message = `the index '${name}' has ${count}${place}: it differs from one that is made of the objects as they are`;
    return [{ check: 'indices', message }];
  }
  return [];
}

/** Compares values regardless of their order. */
function haveSame(some: readonly unknown[], others: readonly unknown[]): boolean {
  const left = [...others];
  for (const value of some) {
    const index = left.findIndex((other) => deepEqual(other, value));
    if (index < 0) return false;
    left.splice(index, 1);
  }
  return left.length === 0;
}
