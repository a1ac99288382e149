import { selectPeeringResources } from '../../coordination/peering/peering.client.js';
import { errorText, sleep } from 'kube-common';
import { readPages } from '../../client/api/kube.list.js';
import { qualifiedName, resourceKey, resourceUrl, type Resource } from '../../resources/resources.js';
import { reviewAccess } from './access.review.js';
import type { ClusterScope, ClusterTools } from './cluster.tools.js';
import { pageLimit } from '../../settings/client.settings.js';
import { selectWatched } from './watched.resources.js';

/** The seconds between two scans for new resources. */
const INTERVAL = 30;

/** The most reviews of permissions at the same time. */
const REVIEWS_AT_ONCE = 8;

/** The purpose for which a resource is watched: its objects, or the state of the operators. */
export type ResourceRole = 'objects' | 'peering' | 'lease' | 'event';

/** One place that is watched, or cannot be. */
export interface ScannedPlace {
  readonly role: ResourceRole;
  readonly resource: Resource;
  /** Absent for all namespaces. */
  readonly namespace?: string;
  /** Whether the user may list and watch it. */
  readonly isAllowed: boolean;
}

/** The receiver of places that appear and vanish. */
export interface PlaceReceiver {
  add(place: ScannedPlace): void;
  remove(resource: Resource): Promise<void>;
}

/**
 * The scanner that finds the resources of a cluster to watch, repeatedly, as CRDs are created and deleted, and reviews whether the user may
 * watch each of them.
 */
export class ClusterScanner {
  /** The names of resources that the user has named, and the cluster does not have. */
  missing: readonly string[] = [];
  /** All resources of the cluster, as they were looked up last. */
  available: readonly Resource[] = [];
  private readonly known = new Map<string, ScannedPlace>();

  constructor(
    private readonly tools: ClusterTools,
    private readonly scope: ClusterScope,
    private readonly receiver: PlaceReceiver,
  ) {}

  /** All places, also those that the user may not watch. */
  get places(): readonly ScannedPlace[] {
    return [...this.known.values()];
  }

  /** Looks for new resources until the signal is aborted; the first scan was made before. */
  async repeat(signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.tools;
    while (await sleep(clock, INTERVAL, signal)) {
      try {
        await this.scan(signal);
      } catch (error) {
        if (signal.aborted) return;
        logger.warn(`The resources of the cluster cannot be looked up: ${errorText(error)}`);
      }
    }
  }

  /** Looks up the resources, and reports new and vanished places to the receiver. */
  async scan(signal: AbortSignal): Promise<void> {
    const available = await this.tools.scan(signal);
    this.available = available;
    const definitions = await this.listDefinitions(available, signal);
    const { resources, missing } = selectWatched(available, { names: this.scope.resources, definitions });
    this.missing = missing;
    const wanted: readonly (readonly [ResourceRole, Resource])[] = [
      ...selectPeeringResources(available, true).map((each) => ['peering', each] as const),
      ...selectPeeringResources(available, false).map((each) => ['peering', each] as const),
      ...available.filter(isLease).map((each) => ['lease', each] as const),
      ...available.filter(isEvent).map((each) => ['event', each] as const),
      ...resources.map((each) => ['objects', each] as const),
    ];
    const places = wanted.flatMap(([role, resource]) =>
      this.namespacesOf(resource).map((namespace) => ({ role, resource, namespace })),
    );
    await this.forget(new Set(places.map(keyOf)));
    const fresh = places.filter((place) => !this.known.has(keyOf(place)));
    for (let start = 0; start < fresh.length; start += REVIEWS_AT_ONCE) {
      await Promise.all(fresh.slice(start, start + REVIEWS_AT_ONCE).map((place) => this.add(place, signal)));
    }
  }

  private namespacesOf({ namespaced }: Resource): readonly (string | undefined)[] {
    const { namespaces } = this.scope;
    return namespaced && namespaces.length > 0 ? namespaces : [undefined];
  }

  private async add(place: Omit<ScannedPlace, 'isAllowed'>, signal: AbortSignal): Promise<void> {
    const { api } = this.tools;
    const { resource, namespace } = place;
    const verbs = await Promise.all(
      ['list', 'watch'].map((verb) => reviewAccess(api, { verb, resource, namespace }, signal)),
    );
    const scanned = { ...place, isAllowed: verbs.every(Boolean) };
    this.known.set(keyOf(place), scanned);
    this.receiver.add(scanned);
  }

  private async forget(present: ReadonlySet<string>): Promise<void> {
    const gone = [...this.known].filter(([key]) => !present.has(key));
    for (const [key] of gone) this.known.delete(key);
    await Promise.all(gone.map(([, { resource }]) => this.receiver.remove(resource)));
  }

  /**
   * Lists the names of the CRDs. For a user who may not list CRDs, resources count as custom ones if their groups are not those of
   * Kubernetes.
   */
  private async listDefinitions(
    available: readonly Resource[],
    signal: AbortSignal,
  ): Promise<ReadonlySet<string> | undefined> {
    const { api, settings } = this.tools;
    const definitions = available.find((each) => qualifiedName(each) === DEFINITIONS && each.preferred);
    if (!definitions || this.scope.resources.length > 0) return undefined;
    if (!(await reviewAccess(api, { verb: 'list', resource: definitions }, signal))) return undefined;
    const names = new Set<string>();
    const limit = pageLimit(settings);
    const pages = readPages((token) =>
      api.list(resourceUrl(definitions, { query: { limit, continue: token } }), { signal, headers: METADATA_ONLY }),
    );
    for await (const { items } of pages) for (const { metadata } of items ?? []) names.add(metadata.name!);
    return names;
  }
}

const DEFINITIONS = 'customresourcedefinitions.apiextensions.k8s.io';
const METADATA_ONLY = { accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json' };

function isLease(resource: Resource): boolean {
  return qualifiedName(resource) === 'leases.coordination.k8s.io' && resource.version === 'v1';
}

function isEvent({ group, version, plural }: Resource): boolean {
  return group === '' && version === 'v1' && plural === 'events';
}

function keyOf({ role, resource, namespace = '' }: Omit<ScannedPlace, 'isAllowed'>): string {
  return JSON.stringify([role, resourceKey(resource), namespace]);
}
