import type { ApiCallOptions, KubeApi } from '../../client/api/api.client.js';
import { ifFound } from '../../client/api/object.reader.js';
import type { KubeObject } from '../../objects/kube-object.js';
import { type Resource, resourceUrl } from '../../resources/resources.js';
import { formatTimestamp } from 'kube-common';
import type { Peer } from './peers.js';

/** The place of a peering object: its resource, namespace, and name. */
export interface PeeringPlace {
  readonly resource: Resource;
  /** The namespace; `undefined` for a cluster-wide object. */
  readonly namespace: string | undefined;
  readonly name: string;
}

/**
 * The client of peering objects. All methods return the resulting object, or `undefined` if there is none.
 *
 * The requests do not wait for the request budget: an operator without keep-alives expires.
 */
export class PeeringClient {
  constructor(private readonly api: KubeApi) {}

  /**
   * Writes a keep-alive.
   *
   * @param version the version that the object must have, if any.
   * @throws ApiConflictError if the object has another version.
   */
  touch(place: PeeringPlace, peer: Peer, options?: ApiCallOptions, version?: string): Promise<KubeObject | undefined> {
    const { identity, priority, lifetime, lastSeen, message } = peer;
    const record = { priority, lifetime, lastseen: formatTimestamp(lastSeen) };
    const status = { [identity]: message === undefined ? record : { ...record, message } };
    return this.patch(place, status, options, version);
  }

  /** Removes the records of operators: of expired ones, or of the one that stops. */
  remove(
    place: PeeringPlace,
    identities: readonly string[],
    options?: ApiCallOptions,
  ): Promise<KubeObject | undefined> {
    return this.patch(place, Object.fromEntries(identities.map((identity) => [identity, null])), options);
  }

  private patch(
    { resource, namespace, name }: PeeringPlace,
    status: object,
    options?: ApiCallOptions,
    version?: string,
  ): Promise<KubeObject | undefined> {
    const url = resourceUrl(resource, { namespace, name });
    const patch = version === undefined ? { status } : { metadata: { resourceVersion: version }, status };
    return ifFound(this.api.patch<KubeObject>(url, 'merge', patch, { ...options, urgent: true }));
  }
}

/** Whether a state of a peering object is older than another one: responses and events of the watch can overtake each other. */
export function isOlder({ metadata: one }: KubeObject, { metadata: other }: KubeObject): boolean {
  return one.uid === other.uid && Number(one.resourceVersion) < Number(other.resourceVersion);
}

/** The API groups of peering objects: the present one, and that of Kopf before 2021. */
const GROUPS = ['kopf.dev', 'zalando.org'];

/**
 * Selects the resources of peering objects that the cluster has, the preferred one first. Usually there is at most one;
 * if there are both groups, other operators can be in either.
 */
export function selectPeeringResources(available: readonly Resource[], clusterwide: boolean): readonly Resource[] {
  const plural = clusterwide ? 'clusterkopfpeerings' : 'kopfpeerings';
  return GROUPS.flatMap((group) =>
    available.filter((resource) => {
      const isMeant = resource.group === group && resource.version === 'v1' && resource.plural === plural;
      return isMeant && resource.namespaced === !clusterwide;
    }),
  );
}
