import type { Resource } from '../interfaces/resource.interface.js';
import { deduplicate, type Handler } from '../registry/handler.js';
import type { KopfRegistry } from '../registry/kopf.registry.js';
import { resourceKey } from '../structs/resources.js';
import type { ResourceSelector } from '../structs/resource-selector.js';
import { groupBy } from '../utils/group-by.js';

/** Which resources are served, and why others are not. */
export interface ResourceSelection {
  readonly resources: readonly Resource[];
  /** Selectors for which the cluster has nothing. */
  readonly unresolved: readonly ResourceSelector[];
  /** One text for each thing that the user should know. */
  readonly warnings: readonly string[];
}

const WATCHING_VERBS = ['list', 'watch'];
const WRITING_VERBS = ['create', 'update', 'patch'];

/** Selects the resources that the handlers are for out of all that the cluster has. */
export function selectResources(registry: KopfRegistry, available: readonly Resource[]): ResourceSelection {
  const selected = new Map<string, Resource>();
  const unresolved: ResourceSelector[] = [];
  const warnings: string[] = [];
  for (const selector of registry.selectors()) {
    const found = selector.select(available);
    if (found.length === 0) {
      unresolved.push(selector);
      warnings.push(
        `${String(selector)} is not served: the cluster has no such resource; it will be, once it is created.`,
      );
    } else if (selector.isSpecific && found.length > 1) {
      const names = found.map(resourceKey).join(', ');
      warnings.push(`${String(selector)} is not served: it can be any of ${names}; add the group to say which.`);
    } else {
      for (const resource of found) selected.set(resourceKey(resource), resource);
    }
  }
  const resources = [...selected.values()].filter((resource) => {
    const missing = missingVerbs(registry, resource);
    if (missing.length === 0) {
      warnings.push(...findMeetingIds(registry, resource));
      return true;
    }
    warnings.push(`${resourceKey(resource)} is not served: it does not support ${missing.join(', ')}.`);
    return false;
  });
  return { resources, unresolved, warnings };
}

function missingVerbs(registry: KopfRegistry, resource: Resource): readonly string[] {
  const isPatching = registry.requiresPatching(resource) && !isTerminating(resource);
  const needed = isPatching ? [...WATCHING_VERBS, 'patch'] : WATCHING_VERBS;
  return needed.filter((verb) => !resource.verbs.includes(verb));
}

/**
 * Whether the resource's definition is being deleted. Nothing but deletions is announced then, though patches are still accepted;
 * and they are needed, as the definition waits for the finalizers of its objects.
 */
function isTerminating({ verbs }: Resource): boolean {
  return verbs.includes('delete') && !WRITING_VERBS.some((verb) => verbs.includes(verb));
}

/** Finds different handlers with one id whose selectors look different, but mean this same resource. */
function findMeetingIds(registry: KopfRegistry, resource: Resource): readonly string[] {
  const { owned, watching } = registry.handlersOf(resource);
  return [owned, deduplicate<Handler>(watching)].flatMap((handlers) =>
    [...groupBy(handlers, ({ id }) => id)]
      .filter(([, group]) => group.length > 1)
      .map(([id, group]) => {
        const sources = group.map(({ source }) => source).join(' and ');
        return `${sources} are all handlers '${id}' of ${resourceKey(resource)}, and get in each other's way: give them other ids.`;
      }),
  );
}
