import { type Clock, type KubeRequest, type KubeResponse, type KubeTransport, sleep, stringifyJson } from 'kube-common';
import type { KubeObject } from 'nestjs-kopf';
import { qualifiedName, resourceApiVersion } from 'nestjs-kopf/tooling';
import { foldedName } from '../oracles/final.state.js';
import { rejectWith } from '../faults/fault.response.js';
import { isWatch, isWrite, placeOf } from '../faults/request.place.js';
import {
  pathOfObject,
  type OperatorMatch,
  type ServedResource,
  type WorldChange,
  type WorldServer,
} from '../world/world.server.js';
import { isWatched, type ClusterChange, type ClusterObjects } from './cluster.objects.js';
import { ClusterWatch } from './cluster.watch.js';
import { ClusterWrites } from './cluster.writes.js';
import type { OutsideWorld } from './outside.clock.js';

/** The real time in which a cluster reacts on its own, as its garbage collector does, in milliseconds. */
const REACTION = 700;
/** The real time, in milliseconds, after which the simulation no longer waits for a change to reach a watch, or for objects to be deleted. */
const PATIENCE = 20_000;
/** The real time between two polls, in seconds. */
const PAUSE = 0.002;
const GONE = 410;

/** The parts of a cluster that its server needs. */
interface ClusterServerOptions {
  readonly url: string;
  readonly connection: KubeTransport;
  readonly objects: ClusterObjects;
  /** The real time. */
  readonly clock: Clock;
  readonly onChange: (change: WorldChange) => void;
}

/** A real cluster as the server of one run. It knows who changes what, delays and closes watches, and is left as it was found. */
export class ClusterServer implements WorldServer, OutsideWorld {
  readonly faults = {
    lag: (match: OperatorMatch) => this.lag(match),
    damageWatches: (_damage: 'cut', match: OperatorMatch) => this.cut(match),
  };
  readonly client: WorldServer['client'];
  readonly url: string;
  private readonly connection: KubeTransport;
  private readonly objects: ClusterObjects;
  private readonly clock: Clock;
  private readonly onChange: (change: WorldChange) => void;
  private readonly writes: ClusterWrites;
  private readonly watches = new Set<ClusterWatch>();
  private readonly lags = new Set<OperatorMatch & { readonly revision: number }>();
  private readonly created = new Map<string, KubeObject>();
  private reads = 0;
  private expired = 0;
  private changedAt = -Infinity;

  constructor({ url, connection, objects, clock, onChange }: ClusterServerOptions) {
    this.url = url;
    this.connection = connection;
    this.objects = objects;
    this.clock = clock;
    this.onChange = onChange;
    this.writes = new ClusterWrites(connection, objects, clock, (change, request) => this.report(change, request));
    objects.onChange = (change) => this.writes.take(change);
    this.client = clientOf(objects);
  }

  /** Does nothing: the server closes the connections of the cluster, not its clients in a run. */
  transport(): KubeTransport {
    return { request: (request) => this.request(request), close: () => Promise.resolve() };
  }

  /** Creates an object before the operator starts. */
  async apply(object: KubeObject): Promise<void> {
    const status = await this.send('PATCH', object, object, '?fieldManager=simulation&force=true');
    if (status >= 300)
      throw new Error(`${object.kind} ${object.metadata.name} cannot be created: the cluster answers ${status}.`);
  }

  /** Expires the history for the operator: watches that continue from a present version have to list again. */
  expireHistory(): void {
    this.expired = this.objects.revision;
  }

  async arrived(): Promise<boolean> {
    if (!this.isUnderWay) return false;
    const since = this.clock.monotonic();
    while (this.isUnderWay) {
      await sleep(this.clock, PAUSE);
      if (this.clock.monotonic() < since + PATIENCE || this.reads + this.writes.open > 0) continue;
      for (const watch of this.watches) watch.giveUp();
    }
    return true;
  }

  async stirs(): Promise<boolean> {
    const since = this.clock.monotonic();
    while (this.clock.monotonic() < since + REACTION) {
      if (this.isUnderWay || this.changedAt >= since) return true;
      await sleep(this.clock, PAUSE);
    }
    return false;
  }

  /** Deletes everything that was created in the run, but for what the cluster itself has created. */
  async stop(): Promise<void> {
    const { created } = this;
    for (const watch of this.watches) watch.cut();
    for (const object of [...created.values()].reverse()) await this.send('DELETE', object);
    const deadline = this.clock.monotonic() + PATIENCE;
    while (created.size > 0) {
      const left = [...created.values()];
      if (this.clock.monotonic() > deadline)
        throw new Error(`The cluster does not delete ${left.map(foldedName).join(', ')}.`);
      // The operator has stopped and no longer removes its finalizers.
      for (const object of left) {
        if (object.metadata.finalizers?.length) await this.send('PATCH', object, { metadata: { finalizers: null } });
      }
      await sleep(this.clock, PAUSE);
    }
  }

  private get isUnderWay(): boolean {
    if (this.reads + this.writes.open > 0) return true;
    const now = this.clock.monotonic();
    for (const watch of this.watches) if (watch.isBehind(now)) return true;
    return false;
  }

  private async request(request: KubeRequest): Promise<KubeResponse> {
    if (isWrite(request)) return this.writes.send(request);
    this.reads += 1;
    try {
      return isWatch(request) ? await this.watch(request) : await this.connection.request(request);
    } finally {
      this.reads -= 1;
    }
  }

  private async watch(request: KubeRequest): Promise<KubeResponse> {
    const { resource } = placeOf(request)!;
    const { pathname, searchParams: query } = new URL(request.path, this.url);
    const version = query.get('resourceVersion');
    const isList = query.get('sendInitialEvents') === 'true';
    if (!isList && version !== null && Number(version) < this.expired) return rejectWith(GONE);
    const response = await this.connection.request(request);
    if (response.status >= 300) return response;
    const namespace = /\/namespaces\/([^/]+)\//.exec(pathname)?.[1];
    const isSelective = query.has('labelSelector') || query.has('fieldSelector');
    const watch = new ClusterWatch(resource, namespace, isSelective, request.headers['user-agent'] ?? '');
    this.watches.add(watch);
    for (const lag of this.lags) if (isOf(watch, lag)) watch.hold(lag.revision);
    const revision = this.objects.revisionOf(resource, namespace);
    if (isList || revision > Number(version))
      watch.expect({ resource, namespace: namespace ?? '', revision }, this.clock.monotonic());
    return {
      status: response.status,
      headers: response.headers,
      text: () => response.text(),
      chunks: () => this.follow(watch, response),
    };
  }

  private async *follow(watch: ClusterWatch, response: KubeResponse): AsyncGenerator<Uint8Array> {
    try {
      yield* watch.pass(response);
    } finally {
      this.watches.delete(watch);
    }
  }

  /** Reports a change with its author. */
  private report(change: ClusterChange, request?: KubeRequest): void {
    const { type, object } = change;
    const uid = object.metadata.uid!;
    this.changedAt = this.clock.monotonic();
    if (type === 'DELETED') this.created.delete(uid);
    else if (this.created.has(uid) || (type === 'ADDED' && request)) this.created.set(uid, object);
    for (const watch of this.watches) watch.expect(change, this.changedAt);
    const headers = request?.headers ?? {};
    const userAgent = headers['user-agent'] ?? 'cluster';
    this.onChange({ ...change, userAgent, ...(request && { request: { headers, subresource: '' } }) });
  }

  private lag(match: OperatorMatch): { cancel(): void } {
    const lag = { ...match, revision: this.objects.revision };
    this.lags.add(lag);
    const watches = [...this.watches].filter((watch) => isOf(watch, match));
    for (const watch of watches) watch.hold(lag.revision);
    const cancel = (): void => {
      this.lags.delete(lag);
      for (const watch of this.watches) if (isOf(watch, match)) watch.hold(Infinity);
    };
    return { cancel };
  }

  private cut(match: OperatorMatch): number {
    const cut = [...this.watches].filter((watch) => isOf(watch, match));
    for (const watch of cut) watch.cut();
    return cut.length;
  }

  private async send(method: string, object: KubeObject, body?: object, query = ''): Promise<number> {
    const type = query === '' ? 'merge-patch+json' : 'apply-patch+yaml';
    const headers = { 'content-type': `application/${type}` };
    const path = pathOfObject(this, object) + query;
    const { status } = await this.writes.send({ method, path, headers, body: body && stringifyJson(body) });
    return status;
  }
}

function isOf({ resource, userAgent }: ClusterWatch, match: OperatorMatch): boolean {
  return match.userAgent.test(userAgent) && (match.resource === undefined || match.resource === resource);
}

function clientOf(objects: ClusterObjects): WorldServer['client'] {
  const nameOf = (resource: ServedResource): string => qualifiedName(resource);
  return {
    resources: () => objects.resources.filter(isWatched),
    resourceOf: (apiVersion, kind) =>
      objects.resources.find((resource) => resource.kind === kind && resourceApiVersion(resource) === apiVersion),
    list: (resource) => objects.list(nameOf(resource)),
  };
}
