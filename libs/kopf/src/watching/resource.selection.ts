import { type Resource, resourceKey } from '../resources/resources.js';
import { deduplicate, type Handler } from '../registry/handler.js';
import type { HandlerRegistry } from '../registry/handler.registry.js';
import { resolveSelectors, type ResourceSelection } from '../resources/resource-selector.js';
import { groupBy } from '../common/group-by.js';

const WATCHING_VERBS = ['list', 'watch'];
const WRITING_VERBS = ['create', 'update', 'patch'];

/** Selects the resources that the handlers are for, of all that the cluster has; those that cannot be served are left out. */
export function selectServedResources(registry: HandlerRegistry, available: readonly Resource[]): ResourceSelection {
  const selection = resolveSelectors(registry.selectors(), available, 'served');
  const warnings = [...selection.warnings];
  const resources = selection.resources.filter((resource) => {
    const missing = missingVerbs(registry, resource);
    if (missing.length === 0) {
      warnings.push(...findMeetingIds(registry, resource));
      return true;
    }
    warnings.push(`${resourceKey(resource)} is not served: it does not support ${missing.join(', ')}.`);
    return false;
  });
  return { ...selection, resources, warnings };
}

function missingVerbs(registry: HandlerRegistry, resource: Resource): readonly string[] {
  const isPatching = registry.requiresPatching(resource) && !isTerminating(resource);
  const needed = isPatching ? [...WATCHING_VERBS, 'patch'] : WATCHING_VERBS;
  return needed.filter((verb) => !resource.verbs.includes(verb));
}

/**
 * Checks whether the resource's CRD is being deleted. The API server announces nothing but deletions then, though it still
 * accepts patches; and they are needed, as the CRD waits for the finalizers of its objects.
 */
function isTerminating({ verbs }: Resource): boolean {
  return verbs.includes('delete') && !WRITING_VERBS.some((verb) => verbs.includes(verb));
}

/** Finds different handlers with one id whose selectors look different, but mean this same resource. */
function findMeetingIds(registry: HandlerRegistry, resource: Resource): readonly string[] {
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
