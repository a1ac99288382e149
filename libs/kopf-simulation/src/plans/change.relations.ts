import type { KubeObject } from 'nestjs-kopf';
import type { TracedChange } from '../run/run.record.js';

/** Fields of the server itself, which differ after each change. */
const OWN_FIELDS = /^\.metadata\.(resourceVersion|managedFields|generation|uid|creationTimestamp)/;

/**
 * Whether a change makes an earlier change of the same object unobservable, as it sets the same fields to other values. A client that sees only the
 * later state cannot know that the earlier one ever existed.
 */
export function cancels(later: TracedChange, earlier: TracedChange): boolean {
  if (later.object !== earlier.object || later.number <= earlier.number) return false;
  if (later.type === 'DELETED' || earlier.type === 'DELETED') return true;
  const places = changedPlaces(earlier);
  for (const place of changedPlaces(later)) if (places.has(place)) return true;
  return false;
}

/** The places of an object whose values differ after a change: `.data.size`. */
export function changedPlaces({ before, after }: Pick<TracedChange, 'before' | 'after'>): ReadonlySet<string> {
  const old = leavesOf(before);
  const now = leavesOf(after);
  const places = new Set<string>();
  for (const place of new Set([...old.keys(), ...now.keys()])) {
    if (old.get(place) !== now.get(place) && !OWN_FIELDS.test(place)) places.add(place);
  }
  return places;
}

function leavesOf(object: KubeObject | undefined): ReadonlyMap<string, unknown> {
  const leaves = new Map<string, unknown>();
  const visit = (value: unknown, place: string): void => {
    if (typeof value !== 'object' || value === null) leaves.set(place, value);
    else for (const [key, item] of Object.entries(value)) visit(item, `${place}.${key}`);
  };
  if (object) visit(object, '');
  return leaves;
}
