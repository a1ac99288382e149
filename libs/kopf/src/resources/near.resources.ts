import { isBuiltInGroup } from './built-in.groups.js';
import { type Resource, qualifiedName, resourceKey } from './resources.js';
import type { ResourceCriteria } from './resource-criteria.js';

/** The most suggestions for one resource. */
const SUGGESTIONS = 3;

/** The properties of a resource that a criterion can name, those that are typed in full first. */
const NAMES_OF: Readonly<Record<'anyName' | 'plural' | 'singular' | 'kind' | 'shortcut', (of: Resource) => string[]>> =
  {
    anyName: ({ plural, singular, kind, shortNames }) => [plural, singular, kind, ...shortNames],
    plural: ({ plural, singular, kind, shortNames }) => [plural, singular, kind, ...shortNames],
    singular: ({ singular, plural, kind }) => [singular, plural, kind],
    kind: ({ kind, plural, singular }) => [kind, plural, singular],
    shortcut: ({ shortNames, plural, singular, kind }) => [...shortNames, plural, singular, kind],
  };

/**
 * Finds the resources whose names look like a mistyped one: `configmaps` for `confgmaps`, `deployments.apps` for `deployments.app`. A name
 * in another group counts as mistyped only if the groups are similar, or Kubernetes has both of them: a custom resource of a group that the
 * cluster does not have is probably not installed.
 *
 * @returns their names as kubectl takes them, with the version if one is wanted; the nearest first; empty if none is similar.
 */
export function findNearResources(criteria: ResourceCriteria, available: readonly Resource[]): readonly string[] {
  if (Object.values(criteria).some((text) => typeof text !== 'string' && text !== undefined)) return [];
  const { category } = criteria;
  if (category !== undefined) return findNearCategories(category, available);
  const nearest = new Map<string, number>();
  for (const resource of available) {
    const distance = measure(criteria, resource);
    if (distance === undefined) continue;
    const name = criteria.version === undefined ? qualifiedName(resource) : resourceKey(resource);
    nearest.set(name, Math.min(distance, nearest.get(name) ?? Infinity));
  }
  return pickNearest(nearest);
}

function findNearCategories(wanted: string, available: readonly Resource[]): readonly string[] {
  const nearest = new Map<string, number>();
  for (const category of new Set(available.flatMap(({ categories }) => categories))) {
    const distance = distanceOf(wanted, category);
    if (distance !== undefined) nearest.set(`category=${category}`, distance);
  }
  return pickNearest(nearest);
}

/** Picks only the resources with the smallest distance: further ones would be a guess. */
function pickNearest(distances: ReadonlyMap<string, number>): readonly string[] {
  const least = Math.min(...distances.values());
  const found = [...distances].filter(([, distance]) => Math.floor(distance) === Math.floor(least));
  return found
    .sort(([, one], [, other]) => one - other)
    .slice(0, SUGGESTIONS)
    .map(([name]) => name);
}

/**
 * Measures the number of edits between the wanted name and the names of a resource; a fraction prefers full names to short ones, and
 * preferred versions.
 */
function measure(criteria: ResourceCriteria, resource: Resource): number | undefined {
  const { group, version } = criteria;
  const key = (Object.keys(NAMES_OF) as (keyof typeof NAMES_OF)[]).find((each) => criteria[each] !== undefined);
  if (key === undefined) return undefined;
  const wanted = criteria[key] as string;
  const names = NAMES_OF[key](resource).map((name, index) => {
    const distance = name === '' ? undefined : distanceOf(wanted, name);
    return distance === undefined ? Infinity : distance + index / 100;
  });
  const inName = Math.min(...names);
  const inGroup = group === undefined || group === resource.group ? 0 : distanceOfGroups(group, resource.group);
  if (inName === Infinity || inGroup === undefined) return undefined;
  const isOtherVersion = version === undefined ? !resource.preferred : version !== resource.version;
  return inName + inGroup + (isOtherVersion ? 0.5 : 0);
}

/**
 * Measures the distance of two groups. Users mix up the groups of Kubernetes itself, and groups that differ by a domain: `batch` and
 * `batch.k8s.io`.
 */
function distanceOfGroups(wanted: string, group: string): number | undefined {
  const near = distanceOf(wanted, group);
  if (near !== undefined) return near;
  return isBuiltInGroup(wanted.replace(/\.k8s\.io$/, '')) && isBuiltInGroup(group) ? 1 : undefined;
}

/** Measures the number of letters that are missing, added, wrong, or swapped; `undefined` if there are too many for a typing error. */
function distanceOf(wanted: string, name: string): number | undefined {
  const [one, other] = [normalize(wanted), normalize(name)];
  const length = Math.max(one.length, other.length);
  const limit = length < 3 ? 0 : length < 8 ? 1 : length < 12 ? 2 : 3;
  if (Math.abs(one.length - other.length) > limit) return undefined;
  const distance = countEdits(one, other);
  return distance <= limit ? distance : undefined;
}

function normalize(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, '');
}

/** Computes the Damerau-Levenshtein distance, with swaps of adjacent letters only. */
function countEdits(one: string, other: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      current.push(
        Math.min(
          last[column] + 1,
          current[column - 1] + 1,
          last[column - 1] + (isSame ? 0 : 1),
          isSwapped && row > 1 && column > 1 ? beforeLast[column - 2] + 1 : Infinity,
        ),
      );
    }
    [beforeLast, last] = [last, current];
  }
  return last[other.length];
}
