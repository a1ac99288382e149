import { AdmissionRequestError } from '../../errors/admission.errors.js';
import type { ReviewedResource } from '../../interfaces/admission.interface.js';
import type { Resource } from '../../interfaces/resource.interface.js';
import type { KopfRegistry } from '../../registry/kopf.registry.js';
import type { ResourceSelector } from '../../structs/resource-selector.js';
import { resourceKey } from '../../structs/resources.js';
import { CONFIGURATION_KINDS } from './configuration.kinds.js';

/** What became of the resources after they were looked up. */
export interface AdmissionSelection {
  /** Selectors for which the cluster has nothing. */
  readonly unresolved: readonly ResourceSelector[];
  /** One text for each thing that the user should know. */
  readonly warnings: readonly string[];
}

/** The resources that the admission handlers are for, of those that the cluster has. */
export class AdmissionResources {
  private available: readonly Resource[] = [];
  private selected: ReadonlyMap<string, Resource> = new Map();

  constructor(private readonly registry: KopfRegistry) {}

  /** Selects them anew. */
  update(available: readonly Resource[]): AdmissionSelection {
    const selected = new Map<string, Resource>();
    const unresolved: ResourceSelector[] = [];
    const warnings: string[] = [];
    for (const selector of this.registry.admissionSelectors()) {
      const found = selector.select(available);
      if (found.length === 0) {
        unresolved.push(selector);
        warnings.push(
          `${String(selector)} is not admitted: the cluster has no such resource; it will be, once it is created.`,
        );
      } else if (selector.isAmbiguous(found)) {
        const names = found.map(resourceKey).join(', ');
        warnings.push(`${String(selector)} is not admitted: it can be any of ${names}; add the group to say which.`);
      } else {
        for (const resource of found) selected.set(resourceKey(resource), resource);
      }
    }
    this.available = available;
    this.selected = selected;
    return { unresolved, warnings };
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
