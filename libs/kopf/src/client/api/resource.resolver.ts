import { UnknownResourceError } from './api.errors.js';
import { type Resource, resourceApiVersion, resourceKey } from '../../resources/resources.js';
import { parseSelector } from '../../resources/selectors.js';
import type { DiscoveryClient } from './discovery.client.js';

/**
 * A resource as users of the client name it: found by discovery, by the API version and the kind, or by a name
 * such as `pods`, `po`, `Deployment`, `deployments.apps`, `deployments.v1.apps`.
 */
export type ResourceReference = Resource | { readonly apiVersion: string; readonly kind: string } | string;

/** Finds the resources that are meant by references, out of those that the server has. */
export class ResourceResolver {
  private scanning?: Promise<readonly Resource[]>;

  constructor(private readonly discovery: DiscoveryClient) {}

  /**
   * Finds the resource; looks up the server's resources again if it is not among the known ones.
   *
   * @throws UnknownResourceError if there is none, or if there are several.
   */
  async resolve(reference: ResourceReference): Promise<Resource> {
    if (typeof reference === 'object' && 'plural' in reference) return reference;
    const select = createSelection(reference);
    let found = select((await this.scanning) ?? this.discovery.known);
    if (!found.length) found = select(await this.scan());
    if (found.length === 1) return found[0];
    const text = typeof reference === 'string' ? reference : `${reference.kind} of ${reference.apiVersion}`;
    if (!found.length) throw new UnknownResourceError(`The API server has no resource ${text}.`);
    throw new UnknownResourceError(`The resource ${text} can be any of: ${found.map(resourceKey).join(', ')}.`);
  }

  private async scan(): Promise<readonly Resource[]> {
    const scanning = (this.scanning = this.discovery.scan());
    try {
      return await scanning;
    } finally {
      if (this.scanning === scanning) this.scanning = undefined;
    }
  }
}

function createSelection(reference: string | { apiVersion: string; kind: string }) {
  if (typeof reference === 'string') {
    const selector = parseSelector([reference]);
    return (resources: readonly Resource[]): Resource[] => selector.select(resources);
  }
  const { apiVersion, kind } = reference;
  return (resources: readonly Resource[]): Resource[] =>
    resources.filter((resource) => resource.kind === kind && resourceApiVersion(resource) === apiVersion);
}
