import { type Manager, managerKey, type Owners, type Ownership } from './managed.fields.js';

/** The number of entries of updates that an object has at most. */
const LIMIT = 10;
/** The manager of the fields that the oldest updates changed, once there are too many. */
const ANCIENT = 'ancient-changes';

/** Joins the oldest updates into one entry for each version if there are too many of them. */
export function limitManagers(owners: Owners): Owners {
  const updates = [...owners.values()].filter(({ manager }) => manager.operation === 'Update');
  if (updates.length <= LIMIT) return owners;
  const limited = new Map(owners);
  const oldest = updates.toSorted(
    (left, right) => compare(left.time, right.time) || compare(keyOf(left), keyOf(right)),
  );
  const firsts = new Map<string, Ownership>();
  for (const each of oldest) {
    if (limited.size - (owners.size - updates.length) <= LIMIT) break;
    const { apiVersion } = each.manager;
    const first = firsts.get(apiVersion);
    if (!first) {
      // One alone keeps its name.
      firsts.set(apiVersion, each);
      continue;
    }
    const manager: Manager = { name: ANCIENT, operation: 'Update', apiVersion };
    const before = limited.get(managerKey(manager)) ?? first;
    if (before === first) limited.delete(keyOf(first));
    limited.delete(keyOf(each));
    const fields = before.fields.union(each.fields);
    limited.set(managerKey(manager), { manager, fields, ...(each.time !== undefined && { time: each.time }) });
  }
  return limited;
}

function keyOf({ manager }: Ownership): string {
  return managerKey(manager);
}

function compare(left = '', right = ''): number {
  return left === right ? 0 : left < right ? -1 : 1;
}
