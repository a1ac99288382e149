import { type Clock, type KubeRequest, type KubeResponse, type KubeTransport, parseJson, sleep } from 'kube-common';
import type { KubeObject } from 'nestjs-kopf';
import { placeOf, type RequestPlace } from '../faults/request.place.js';
import type { ClusterChange, ClusterObjects } from './cluster.objects.js';

/** The real time within which the watches of a cluster report a change that it has made, in milliseconds. */
const PATIENCE = 10_000;
/** The real time between two polls, in seconds. */
const PAUSE = 0.001;

/** The answer to a write: the object, or a status with the uid of the deleted object. */
type WriteAnswer = Pick<KubeObject, 'kind'> & {
  readonly metadata?: KubeObject['metadata'] & { readonly deletionGracePeriodSeconds?: number };
  readonly details?: { readonly uid?: string };
};

/**
 * Sends writes to a cluster, one after another, and answers each write only when the watches have reported its change. So the author of each change
 * is known.
 */
export class ClusterWrites {
  /** The number of writes that are under way or queued. */
  open = 0;
  private last: Promise<unknown> = Promise.resolve();
  /** The changes during a write. */
  private held?: ClusterChange[];

  /** @param onChange called with each change, and with its request if it is one of these writes */
  constructor(
    private readonly transport: KubeTransport,
    private readonly objects: ClusterObjects,
    private readonly clock: Clock,
    private readonly onChange: (change: ClusterChange, request?: KubeRequest) => void,
  ) {}

  /** Handles a change that the watches have reported. */
  take(change: ClusterChange): void {
    if (this.held) this.held.push(change);
    else this.onChange(change);
  }

  send(request: KubeRequest): Promise<KubeResponse> {
    this.open += 1;
    const done = this.last.then(() => this.sendNow(request)).finally(() => (this.open -= 1));
    this.last = done.catch(() => undefined);
    return done;
  }

  private async sendNow(request: KubeRequest): Promise<KubeResponse> {
    request.signal?.throwIfAborted();
    const place = placeOf(request);
    const held: ClusterChange[] = (this.held = []);
    try {
      const response = await this.transport.request(request);
      const { status, headers } = response;
      const text = await response.text();
      if (place && status < 300) await this.untilSeen(place.resource, request, parseJson(text) as WriteAnswer);
      return { status, headers, text: () => Promise.resolve(text), chunks: () => chunksOf(text) };
    } finally {
      this.held = undefined;
      held.sort((one, other) => one.revision - other.revision);
      for (const change of held) this.onChange(change, place && isMadeBy(request, place, change) ? request : undefined);
    }
  }

  /** Waits until the watches have reported what the cluster has answered. */
  private async untilSeen(resource: string, { method, path }: KubeRequest, answer: WriteAnswer): Promise<void> {
    const isSeen = this.expectationOf(resource, method, answer);
    const deadline = this.clock.monotonic() + PATIENCE;
    while (!isSeen()) {
      if (this.clock.monotonic() > deadline)
        throw new Error(`The watches of the cluster do not report the change by ${method} ${path}.`);
      await sleep(this.clock, PAUSE);
    }
  }

  private expectationOf(resource: string, method: string, { metadata, details }: WriteAnswer): () => boolean {
    const { objects } = this;
    const uid = metadata?.uid ?? details?.uid;
    if (uid === undefined || !objects.isSeen(resource, metadata?.namespace)) return () => true;
    const isGone = (): boolean => objects.find(resource, uid) === undefined;
    if (!metadata?.uid || (method !== 'DELETE' && isLastOf(metadata))) return isGone;
    const revision = Number(metadata.resourceVersion);
    return () => {
      const object = objects.find(resource, uid);
      return (object ? Number(object.metadata.resourceVersion) : objects.revisionOf(resource)) >= revision;
    };
  }
}

/** Whether the write has removed the last finalizer, so that the object is deleted. */
function isLastOf({
  deletionTimestamp,
  finalizers,
  deletionGracePeriodSeconds = 0,
}: NonNullable<WriteAnswer['metadata']>): boolean {
  return deletionTimestamp !== undefined && !finalizers?.length && deletionGracePeriodSeconds === 0;
}

function isMadeBy({ body }: KubeRequest, place: RequestPlace, { resource, name }: ClusterChange): boolean {
  if (resource !== place.resource) return false;
  if (place.object !== undefined) return place.object.endsWith(`/${encodeURIComponent(name)}`);
  const given = (body === undefined ? {} : parseJson(body)) as Partial<KubeObject>;
  const { name: wanted, generateName } = (given.metadata ?? {}) as { name?: string; generateName?: string };
  return wanted === undefined ? generateName !== undefined && name.startsWith(generateName) : wanted === name;
}

async function* chunksOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
