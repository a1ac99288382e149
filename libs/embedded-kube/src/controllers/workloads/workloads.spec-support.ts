import { VirtualClock } from '../../../../../test/support/time/virtual.clock.js';
import { type Clock, SeededRandom } from 'kube-common';
import { EmbeddedKube } from '../../embedded-kube.js';
import type { EmbeddedKubeOptions } from '../../embedded-kube.options.js';
import type { KubeObject } from '../../resources/kube-object.js';
import type { ResourceId } from '../controller.js';

export const PODS: ResourceId = { group: '', plural: 'pods' };
export const REPLICA_SETS: ResourceId = { group: 'apps', plural: 'replicasets' };
export const DEPLOYMENTS: ResourceId = { group: 'apps', plural: 'deployments' };
export const EVENTS: ResourceId = { group: '', plural: 'events' };

/** A template of pods with one container. */
export const template = (image = 'web:1', labels: object = { app: 'web' }) => ({
  metadata: { labels },
  spec: { containers: [{ name: 'main', image }] },
});
export const selector = { matchLabels: { app: 'web' } };

type ClusterOptions = Omit<EmbeddedKubeOptions, 'clock'> & { readonly clock?: (time: VirtualClock) => Clock };

/** A server with controllers and simulated pods on virtual time, and shortcuts to the objects that they have made. */
export class Cluster {
  private constructor(
    readonly kube: EmbeddedKube,
    readonly clock: VirtualClock,
  ) {}

  /** @param options.clock makes the clock of the server from that of the cluster */
  static async start({ clock: ofServer = (time) => time, ...options }: ClusterOptions = {}): Promise<Cluster> {
    const time = new VirtualClock();
    const clock = ofServer(time);
    const random = new SeededRandom(1);
    // Failures that a spec provokes are seen in statuses and events.
    const logger = { debug: () => {}, log: () => {}, warn: () => {}, error: () => {} };
    return new Cluster(await EmbeddedKube.start({ port: false, pods: true, clock, random, logger, ...options }), time);
  }

  create = (resource: ResourceId, object: object): Promise<KubeObject> =>
    this.kube.client.create(resource, 'default', object);
  patch = (resource: ResourceId, name: string, patch: object, subresource?: string): Promise<KubeObject> =>
    this.kube.client.patch(resource, 'default', name, patch, subresource);
  delete = (resource: ResourceId, name: string, options?: object): Promise<void> =>
    this.kube.client.delete(resource, 'default', name, options);
  get = (resource: ResourceId, name: string): KubeObject | undefined => this.kube.client.get(resource, 'default', name);

  /** The spec of an object; loose, as specs look into many kinds. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  spec = (resource: ResourceId, name: string): any => this.get(resource, name)?.spec;
  /** The status of an object. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  status = (resource: ResourceId, name: string): any => this.get(resource, name)?.status;

  names(resource: ResourceId): string[] {
    return this.kube.client.list(resource, 'default').map(({ metadata }) => metadata.name!);
  }

  /** Returns the events about objects of a kind: reason and message, in the order of their creation. */
  events(kind: string): string[] {
    const events = this.kube.client.list(EVENTS, 'default').map((event) => event as unknown as EventLike);
    const about = events.filter(({ involvedObject }) => involvedObject.kind === kind);
    const sorted = about.toSorted((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion));
    return sorted.map(({ reason, message }) => `${reason}: ${message}`);
  }
}

interface EventLike {
  readonly metadata: { readonly resourceVersion: string };
  readonly involvedObject: { readonly kind: string };
  readonly reason: string;
  readonly message: string;
}
