import type { Resource } from './resource.interface.js';
import type { ResourceSelector } from './resource-selector.js';
import { resourceKey } from './resources.js';

/** Holds the result of resolving selectors with the resources of a cluster. */
export interface ResourceSelection {
  /** Each resource once. */
  readonly resources: readonly Resource[];
  /** Selectors for which the cluster has nothing. */
  readonly unresolved: readonly ResourceSelector[];
  /** Holds one text for each problem that the user should know of. */
  readonly warnings: readonly string[];
}

/**
 * Selects the resources that any of the selectors mean, out of all that the cluster has; where one certain resource is meant,
 * but several ones are found, none of them.
 *
 * @param purpose what the resources are selected for, for the warnings: `served`, `admitted`.
 */
export function resolveSelectors(
  selectors: Iterable<ResourceSelector>,
  available: readonly Resource[],
  purpose: string,
): ResourceSelection {
  const selected = new Map<string, Resource>();
  const unresolved: ResourceSelector[] = [];
  const warnings: string[] = [];
  for (const selector of selectors) {
    const found = selector.select(available);
    const warn = (why: string): void => void warnings.push(`${String(selector)} is not ${purpose}: ${why}`);
    if (found.length === 0) {
      unresolved.push(selector);
      warn('the cluster has no such resource; it will be, once it is created.');
    } else if (selector.isAmbiguous(found)) {
      warn(`it can be any of ${found.map(resourceKey).join(', ')}; add the group to say which.`);
    } else {
      for (const resource of found) selected.set(resourceKey(resource), resource);
    }
  }
  return { resources: [...selected.values()], unresolved, warnings };
}
