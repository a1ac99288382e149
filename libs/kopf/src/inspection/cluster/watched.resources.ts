import { isBuiltInGroup } from '../../resources/built-in.groups.js';
import { isWatchable, qualifiedName, type Resource } from '../../resources/resources.js';
import { parseSelector } from '../../resources/selectors.js';

/** The resources by which operators coordinate, whose objects they do not handle. */
const PEERINGS = ['clusterkopfpeerings', 'kopfpeerings'];

/** The choice of the resources whose objects are inspected. */
export interface ResourceChoice {
  /** The resources that the user has named, as for kubectl; all custom resources if there are none. */
  readonly names: readonly string[];
  /** The names of all CRDs, `plural.group`, if the user may list them. */
  readonly definitions?: ReadonlySet<string>;
}

/** Finds the resources to watch, out of all that the cluster has. Names that it does not have are `missing`. */
export function selectWatched(
  available: readonly Resource[],
  { names, definitions }: ResourceChoice,
): { readonly resources: readonly Resource[]; readonly missing: readonly string[] } {
  const served = available.filter(isWatchable);
  if (names.length === 0) return { resources: served.filter((each) => isCustom(each, definitions)), missing: [] };
  const found = names.map((name) => ({ name, resources: parseSelector([name]).select(served) }));
  const missing = found.filter(({ resources }) => resources.length === 0).map(({ name }) => name);
  return { resources: [...new Set(found.flatMap(({ resources }) => resources))], missing };
}

/** Whether a resource is a custom one: by the list of CRDs or, without it, by its group, as the groups of Kubernetes are known. */
function isCustom(resource: Resource, definitions: ReadonlySet<string> | undefined): boolean {
  const { group, plural, preferred } = resource;
  if (!preferred || PEERINGS.includes(plural)) return false;
  if (definitions) return definitions.has(qualifiedName(resource));
  return !isBuiltInGroup(group);
}
