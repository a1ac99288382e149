import { getMember, isJsonObject, jsonEqual } from '../common/json.values.js';
import { PatchError } from './patch.error.js';

/** Writes a value the way the real server's messages do: `map[name:a ports:[1 2]]`. */
export function describeValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(describeValue).join(' ')}]`;
  if (value === null || value === undefined) return '<nil>';
  if (!isJsonObject(value)) return String(value);
  const members = Object.keys(value).toSorted();
  return `map[${members.map((key) => `${key}:${describeValue(value[key])}`).join(' ')}]`;
}

/** Identifies an element of a merged list: by its merge key's value, or the scalar itself. */
export function identityOf(item: unknown, key: string | undefined): unknown {
  if (key === undefined) return item;
  if (!isJsonObject(item))
    throw new PatchError(500, 'expected a map[string]interface {}, but received a ' + typeof item);
  const identity = getMember(item, key);
  if (identity === undefined) {
    throw new PatchError(500, `map: ${describeValue(item)} does not contain declared merge key: ${key}`);
  }
  return identity;
}

/** Finds an element by its identity; -1 if there is none. */
export function indexOfIdentity(list: readonly unknown[], identity: unknown, key: string | undefined): number {
  return list.findIndex((item) =>
    jsonEqual(key === undefined ? item : isJsonObject(item) ? getMember(item, key) : undefined, identity),
  );
}

/**
 * Orders a merged list: the elements that `order` names follow it, the others keep the order that they have in `live`,
 * and an unnamed element comes before a named one only where it does so in `live`.
 */
export function orderMerged(
  merged: readonly unknown[],
  order: readonly unknown[],
  live: readonly unknown[],
  key: string | undefined,
): unknown[] {
  const identities = (list: readonly unknown[]): unknown[] => list.map((item) => identityOf(item, key));
  const ordered = identities(order);
  const lived = identities(live);
  const rank = (ranks: unknown[], item: unknown): number => indexOfIdentity(ranks, identityOf(item, key), undefined);
  const named = merged.filter((item) => rank(ordered, item) >= 0);
  const others = merged.filter((item) => rank(ordered, item) < 0);
  named.sort((left, right) => rank(ordered, left) - rank(ordered, right));
  others.sort((left, right) => rank(lived, left) - rank(lived, right));

  const result: unknown[] = [];
  while (named.length && others.length) {
    const [other, item] = [rank(lived, others[0]), rank(lived, named[0])];
    result.push(other >= 0 && item >= 0 && other < item ? others.shift() : named.shift());
  }
  return result.concat(named, others);
}

/** Checks that a list of a patch does not contradict the order that the patch sets for it. */
export function assertListOrder(patch: readonly unknown[], order: readonly unknown[], key: string | undefined): void {
  if (!order.length) return;
  let position = 0;
  for (const item of patch) {
    if (isJsonObject(item) && '$patch' in item) continue;
    const found = indexOfIdentity(order.slice(position), identityOf(item, key), key);
    if (found < 0) {
      throw new PatchError(
        500,
        `The order in patch list:\n${describeValue(patch)}\n doesn't match $setElementOrder list:\n${describeValue(order)}\n`,
      );
    }
    position += found + 1;
  }
}
