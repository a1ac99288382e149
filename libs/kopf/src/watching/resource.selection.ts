import { isWatchable, type Resource, resourceKey } from '../resources/resources.js';
import { canMeet, deduplicate, type Handler } from '../registry/handler.js';
import type { HandlerRegistry } from '../registry/handler.registry.js';
import {
  describeReason,
  resolveSelectors,
  ResourceSelector,
  type ResourceSelection,
  type UnservedResource,
} from '../resources/resource-selector.js';
import { groupBy } from 'kube-common';

const WATCHING_VERBS = ['list', 'watch'];
const WRITING_VERBS = ['create', 'update', 'patch'];

/** Selects the resources of the handlers among those of the cluster. Resources that cannot be watched are reported as unserved. */
export function selectServedResources(registry: HandlerRegistry, available: readonly Resource[]): ResourceSelection {
  const selectors = registry.selectors();
  const selection = resolveSelectors(selectors, available, 'served', (selector) => registry.sourcesOf(selector));
  const warnings = [...selection.warnings];
  const unserved = [...selection.unserved];
  const resources = selection.resources.filter((resource) => {
    const missing = missingVerbs(registry, resource);
    if (missing.length === 0) {
      warnings.push(...findMeetingIds(registry, resource));
      return true;
    }
    const naming = selectors.filter((selector) => selector.isSpecific && selector.check(resource));
    const handlers = [...new Set(naming.flatMap((selector) => registry.sourcesOf(selector)))];
    const reason = `it does not support ${missing.join(', ')}`;
    const found = { resource: resourceKey(resource), reason, handlers, suggestions: [] };
    warnings.push(`${found.resource} is not served: ${describeReason(found)}`);
    // A pattern selects only the resources that can be watched; a resource that a handler names, and that cannot, is reported.
    if (naming.length > 0) unserved.push(found);
    return false;
  });
  return { ...selection, resources, unserved, warnings };
}

/** Selects the resources of the admission handlers; they need not be watched. */
export function selectAdmittedResources(registry: HandlerRegistry, available: readonly Resource[]): ResourceSelection {
  return resolveSelectors(registry.admissionSelectors(), available, 'admitted', (selector) =>
    registry.admissionSourcesOf(selector),
  );
}

/** Selects the resources of children, parents, and referents, whose metadata are watched. */
export function selectRelatedResources(registry: HandlerRegistry, available: readonly Resource[]): ResourceSelection {
  const selection = resolveSelectors(registry.relatedSelectors(), available, 'watched', (selector) =>
    registry.relatedSourcesOf(selector),
  );
  const unwatchable = selection.resources.filter((resource) => !isWatchable(resource));
  const warnings = unwatchable.map(
    (resource) => `${resourceKey(resource)} is not watched: it does not support list, watch.`,
  );
  return { ...selection, warnings: [...selection.warnings, ...warnings] };
}

/** Selects the resources whose objects are converted; the CRDs of missing ones may be created later. */
export function selectConvertedResources(registry: HandlerRegistry, available: readonly Resource[]): ResourceSelection {
  const definitions = new Map(
    registry.allConversions().map(({ definition, group }) => {
      const plural = definition.slice(0, -group.length - 1);
      return [definition, new ResourceSelector({ plural, group })];
    }),
  );
  return resolveSelectors(definitions.values(), available, 'converted', (selector) =>
    registry.conversionSourcesOf(String(selector)),
  );
}

/** Selects the resources of handlers of all kinds. */
export function selectAllResources(
  registry: HandlerRegistry,
  available: readonly Resource[],
): readonly ResourceSelection[] {
  return [selectServedResources, selectAdmittedResources, selectRelatedResources, selectConvertedResources].map(
    (select) => select(registry, available),
  );
}

/** Finds the resources that the cluster does not serve in several selections: each once, with all methods that name it. */
export function findUnserved(selections: readonly ResourceSelection[]): readonly UnservedResource[] {
  const found = new Map<string, UnservedResource>();
  for (const each of selections.flatMap(({ unserved }) => unserved)) {
    const known = found.get(each.resource);
    const handlers = [...new Set([...(known?.handlers ?? []), ...each.handlers])];
    found.set(each.resource, { ...(known ?? each), handlers });
  }
  return [...found.values()];
}

function missingVerbs(registry: HandlerRegistry, resource: Resource): readonly string[] {
  const isPatching = registry.requiresPatching(resource) && !isTerminating(resource);
  const needed = isPatching ? [...WATCHING_VERBS, 'patch'] : WATCHING_VERBS;
  return needed.filter((verb) => !resource.verbs.includes(verb));
}

/**
 * Whether the CRD of the resource is being deleted. The API server then announces `delete` as the only writing verb. It still accepts
 * patches; and the operator sends them, as the CRD waits for the finalizers of its objects.
 */
function isTerminating({ verbs }: Resource): boolean {
  return verbs.includes('delete') && !WRITING_VERBS.some((verb) => verbs.includes(verb));
}

/** Finds handlers with the same id whose selectors differ, but select this same resource. */
function findMeetingIds(registry: HandlerRegistry, resource: Resource): readonly string[] {
  const { changing, watching } = registry.handlersOf(resource);
  const meeting = changing.filter((handler) =>
    changing.some((other) => other.id === handler.id && other.invoke !== handler.invoke && canMeet(other, handler)),
  );
  return [deduplicate<Handler>(meeting), deduplicate<Handler>(watching)].flatMap((handlers) =>
    [...groupBy(handlers, ({ id }) => id)]
      .filter(([, group]) => group.length > 1)
      .map(([id, group]) => {
        const sources = group.map(({ source }) => source).join(' and ');
        return `${sources} are all handlers '${id}' of ${resourceKey(resource)}, and get in each other's way: give them other ids.`;
      }),
  );
}
