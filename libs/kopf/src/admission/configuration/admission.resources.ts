import { AdmissionRequestError } from '../review/admission.errors.js';
import type { ReviewedResource } from '../../contexts/admission.interface.js';
import { type Resource, resourceKey } from '../../resources/resources.js';
import type { HandlerRegistry } from '../../registry/handler.registry.js';
import { resolveSelectors, type ResourceSelection } from '../../resources/resource-selector.js';
import { CONFIGURATION_KINDS } from './configuration.kinds.js';

/** The resources that the admission handlers are for, of those that the cluster has. */
export class AdmissionResources {
  private available: readonly Resource[] = [];
  private selected: ReadonlyMap<string, Resource> = new Map();

  constructor(private readonly registry: HandlerRegistry) {}

  /** Selects them anew. */
  update(available: readonly Resource[]): ResourceSelection {
    const selection = resolveSelectors(this.registry.admissionSelectors(), available, 'admitted');
    this.available = available;
    this.selected = new Map(selection.resources.map((resource) => [resourceKey(resource), resource]));
    return selection;
  }

  get all(): readonly Resource[] {
    return [...this.selected.values()];
  }

  /** Finds a resource by its name in a review. */
  find({ group, version, resource: plural }: ReviewedResource): Resource {
    const found = this.selected.get(resourceKey({ group, version, plural }));
    if (found) return found;
    throw new AdmissionRequestError(`No handler is for the resource ${resourceKey({ group, version, plural })}.`, 404);
  }

  /** The resource of webhook configurations, in the version that the cluster prefers; in that of today if it says nothing. */
  configurationsOf(kind: 'validate' | 'mutate'): Resource {
    const usual = CONFIGURATION_KINDS[kind];
    return this.available.find((each) => isPreferred(each, usual)) ?? usual;
  }
}

function isPreferred(resource: Resource, { group, plural }: Resource): boolean {
  return resource.group === group && resource.plural === plural && resource.preferred;
}
