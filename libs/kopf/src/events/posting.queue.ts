import type { EventRequest, EventsClient } from '../client/api/events.client.js';
import type { EventPoster, PostedEvent } from '../contexts/object-events.js';
import { type Clock, type ClockTimer, detach, errorText } from 'kube-common';
import type { KopfLogger } from '../common/kopf.logger.js';
import { Slots } from '../common/slots.js';
import type { KubeObject } from '../objects/kube-object.js';
import type { KopfSettings } from '../settings/kopf.settings.js';
import { reachesLevel } from './object.logger.js';

/** The worker of one object, which posts its events one after another. */
interface PostingWorker {
  readonly key: string;
  readonly pending: EventRequest[];
  /** The timer that ends the worker when it is idle; absent while it posts, and before it starts. */
  expiry?: ClockTimer;
}

/**
 * The share of the operator's connections that events may use until their first failure, so that the handling of objects has connections
 * left if the API server is slow to answer events. Retries are not limited: they are rare.
 */
const SHARE_OF_CONNECTIONS = 0.5;

/**
 * The queues from which events are posted in the background, so that handlers do not wait. Each object has a worker: the events of one
 * object are posted in their order, and an event that is retried does not delay the events of other objects. Events that do not fit are
 * dropped.
 */
export class PostingQueue implements EventPoster {
  /** The workers that post, and the idle ones, by their objects. */
  private readonly workers = new Map<string, PostingWorker>();
  /** The workers that cannot start, as there are as many as the settings allow. */
  private readonly waiting = new Map<string, PostingWorker>();
  private readonly running = new Set<Promise<void>>();
  private readonly slots: Slots;
  /** The number of events that wait, of all objects: for earlier events, for a place, or for their next attempt. */
  private pending = 0;
  private dropped = 0;
  private closed = false;

  constructor(
    private readonly client: EventsClient,
    private readonly settings: KopfSettings,
    private readonly clock: Clock,
    private readonly logger: KopfLogger,
  ) {
    this.slots = new Slots(() => this.settings.networking.connections * SHARE_OF_CONNECTIONS);
  }

  post({ apiVersion, kind, metadata }: KubeObject, event: PostedEvent): void {
    const { type, reason, message = '', backoffs, level } = event;
    const { enabled, queueLimit, level: lowest } = this.settings.posting;
    // An event about an event would lead to another one, without end.
    if (!enabled || isEvent(apiVersion, kind)) return;
    if (this.closed || (level && !reachesLevel(level, lowest))) return;
    if (this.pending >= queueLimit) {
      this.dropped += 1;
      return;
    }
    const { name, namespace, uid } = metadata;
    const about = { apiVersion, kind, metadata: { name, namespace, uid } };
    const worker = this.findWorker(uid ?? JSON.stringify([apiVersion, kind, namespace, name]));
    worker.pending.push({ about, type, reason, message: errorText(message), backoffs });
    this.pending += 1;
    if (worker.expiry) this.start(worker);
    else if (this.waiting.has(worker.key) && this.makeRoom()) this.start(worker);
  }

  /** Resolves when everything posted so far has been sent. */
  async flush(): Promise<void> {
    // The end of one worker can be the start of another one.
    while (this.running.size > 0) await Promise.all(this.running);
  }

  /** Takes no more events, and drops those that wait. */
  close(): void {
    this.closed = true;
    this.waiting.clear();
    for (const worker of this.workers.values()) {
      worker.pending.length = 0;
      worker.expiry?.cancel();
    }
  }

  private findWorker(key: string): PostingWorker {
    const known = this.workers.get(key) ?? this.waiting.get(key);
    if (known) return known;
    const worker: PostingWorker = { key, pending: [] };
    this.waiting.set(key, worker);
    return worker;
  }

  /** Whether another worker can start; if there are too many workers, an idle one is ended. */
  private makeRoom(): boolean {
    const { workerLimit } = this.settings.posting;
    if (workerLimit === null || this.workers.size < workerLimit) return true;
    for (const worker of this.workers.values()) {
      if (!worker.expiry) continue;
      this.end(worker);
      return true;
    }
    return false;
  }

  private start(worker: PostingWorker): void {
    this.waiting.delete(worker.key);
    this.workers.set(worker.key, worker);
    worker.expiry?.cancel();
    worker.expiry = undefined;
    const run = detach(() => this.run(worker)).finally(() => this.running.delete(run));
    this.running.add(run);
  }

  private end(worker: PostingWorker): void {
    worker.expiry?.cancel();
    this.workers.delete(worker.key);
  }

  private async run(worker: PostingWorker): Promise<void> {
    for (let event = worker.pending.shift(); event; event = worker.pending.shift()) {
      await this.send(event);
      if (this.dropped > 0) {
        this.logger.warn(`${this.dropped} events were not posted, as too many were waiting.`);
        this.dropped = 0;
      }
    }
    this.rest(worker);
  }

  private async send(event: EventRequest): Promise<void> {
    const slot = this.slots.acquire();
    if (slot) await slot;
    this.pending -= 1;
    let isRetried = false;
    const onRetry = (): void => {
      if (isRetried) return;
      isRetried = true;
      this.pending += 1;
      this.slots.release();
    };
    if (!this.closed) await this.client.post(event, onRetry);
    if (isRetried) this.pending -= 1;
    else this.slots.release();
  }

  /** Gives the place of a worker without events to one that waits. If the places are limited, the worker keeps it for some time. */
  private rest(worker: PostingWorker): void {
    const { workerLimit, idleTimeout } = this.settings.posting;
    const [next] = this.waiting.values();
    if (next || workerLimit === null || this.closed) this.end(worker);
    else worker.expiry = this.clock.setTimer(() => this.end(worker), idleTimeout * 1000);
    if (next) this.start(next);
  }
}

/** Checks the group and the kind, as other groups can have a kind `Event`. */
function isEvent(apiVersion = '', kind = ''): boolean {
  return kind === 'Event' && (apiVersion === 'v1' || apiVersion.startsWith('events.k8s.io/'));
}
