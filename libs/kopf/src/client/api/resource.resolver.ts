import { UnknownResourceError, type ApiNotFoundError } from './api.errors.js';
import { backoffDelay } from '../../common/backoff.js';
import type { Clock } from 'kube-common';
import { type Resource, resourceApiVersion, resourceKey } from '../../resources/resources.js';
import { parseSelector } from '../../resources/selectors.js';
import type { DiscoveryClient } from './discovery.client.js';

/**
 * A reference to a resource, as users of the client write it: a resource from discovery, an API version with a kind, or a name such as
 * `pods`, `po`, `Deployment`, `deployments.apps`, `deployments.v1.apps`.
 */
export type ResourceReference = Resource | { readonly apiVersion: string; readonly kind: string } | string;

/** The milliseconds before another look-up because of the same missing resource, after look-ups that have changed nothing. */
const RENEWALS = { first: 1000, longest: 60_000 };

/** The resolver of references to the resources of the server. */
export class ResourceResolver {
  private scanning?: Promise<readonly Resource[]>;
  /** The unsuccessful look-ups, by missing resource, with the time on the monotonic clock before which there is no other. */
  private readonly missing = new Map<string, { readonly times: number; readonly until: number }>();

  constructor(
    private readonly discovery: DiscoveryClient,
    private readonly clock: Clock,
  ) {}

  /**
   * Finds the resource of a reference. Looks up the resources of the server again if it is not among the known ones.
   *
   * @throws UnknownResourceError if there is none, or if there are several.
   */
  async resolve(reference: ResourceReference): Promise<Resource> {
    if (isResource(reference)) return reference;
    const select = createSelection(reference);
    let found = select((await this.scanning) ?? this.discovery.known);
    if (!found.length) found = select(await this.scan());
    return pick(reference, found);
  }

  /**
   * Finds a resource again, after the server has answered that it does not serve it as it was found: its version is not served any more,
   * its scope has changed, or its CRD was recreated. For one resource, look-ups are limited: after one that has changed nothing, there is a
   * pause of a second, then of two, up to a minute.
   *
   * @param stale the resource that was found before.
   * @returns `undefined` if it is the same as before.
   * @throws UnknownResourceError if there is none any more.
   */
  async renew(reference: ResourceReference, stale: Resource): Promise<Resource | undefined> {
    const select = isResource(reference) ? createIdentity(reference) : createSelection(reference);
    const [other] = select(this.discovery.known);
    // Another request has looked it up in the meantime.
    if (other && !isSame(other, stale)) return other;
    const key = `${resourceKey(stale)} ${stale.namespaced}`;
    const missed = this.missing.get(key);
    const now = this.clock.monotonic();
    if (missed && now < missed.until) return undefined;
    const times = (missed?.times ?? 0) + 1;
    this.missing.set(key, { times, until: now + backoffDelay(RENEWALS, times) });
    const found = select(await (this.scanning ?? this.scan()));
    if (found.length === 0 && isResource(reference)) return undefined;
    const resource = pick(reference, found);
    if (isSame(resource, stale)) return undefined;
    this.missing.delete(key);
    return resource;
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

/**
 * Whether a path is not served, in contrast to an object that does not exist: of the latter, API servers put the name into the details of
 * the response.
 */
export function isResourceMissing({ details }: ApiNotFoundError): boolean {
  return !details?.name;
}

function isResource(reference: ResourceReference): reference is Resource {
  return typeof reference === 'object' && 'plural' in reference;
}

function isSame(one: Resource, other: Resource): boolean {
  return resourceKey(one) === resourceKey(other) && one.namespaced === other.namespaced;
}

function pick(reference: ResourceReference, found: readonly Resource[]): Resource {
  if (found.length === 1) return found[0];
  const text = typeof reference === 'string' ? reference : `${reference.kind} of ${apiVersionOf(reference)}`;
  if (!found.length) throw new UnknownResourceError(`The API server has no resource ${text}.`);
  throw new UnknownResourceError(`The resource ${text} can be any of: ${found.map(resourceKey).join(', ')}.`);
}

function apiVersionOf(reference: Exclude<ResourceReference, string>): string {
  return isResource(reference) ? resourceApiVersion(reference) : reference.apiVersion;
}

/** Creates the selection for a resource that the user has found: it stays in the version that the user has chosen. */
function createIdentity(reference: Resource) {
  const key = resourceKey(reference);
  return (resources: readonly Resource[]): Resource[] => resources.filter((each) => resourceKey(each) === key);
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
