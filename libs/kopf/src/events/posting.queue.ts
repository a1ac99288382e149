import type { EventRequest, EventsClient } from '../client/api/events.client.js';
import type { EventPoster } from '../contexts/object-events.js';
import { detach, errorText } from 'kube-common';
import type { KopfLogger, LogLevel } from '../common/kopf.logger.js';
import type { KubeObject } from '../objects/kube-object.js';
import type { KopfSettings } from '../settings/kopf.settings.js';
import { reachesLevel } from './object.logger.js';

/**
 * The queue from which events are posted one after another in the background, so that handlers do not wait. Events that do not fit are
 * dropped.
 */
export class PostingQueue implements EventPoster {
  private readonly pending: EventRequest[] = [];
  private working?: Promise<void>;
  private dropped = 0;
  private closed = false;

  constructor(
    private readonly client: EventsClient,
    private readonly settings: KopfSettings,
    private readonly logger: KopfLogger,
  ) {}

  post(
    { apiVersion, kind, metadata }: KubeObject,
    type: string,
    reason: string,
    message: unknown,
    level?: LogLevel,
  ): void {
    // An event about an event would lead to another one, without end.
    if (!this.settings.posting.enabled || isEvent(apiVersion, kind)) return;
    if (this.closed || (level && !reachesLevel(level, this.settings.posting.level))) return;
    if (this.pending.length >= this.settings.posting.queueLimit) {
      this.dropped += 1;
      return;
    }
    const { name, namespace, uid } = metadata;
    const about = { apiVersion, kind, metadata: { name, namespace, uid } };
    this.pending.push({ about, type, reason, message: errorText(message) });
    this.working ??= detach(() => this.work());
  }

  /** Resolves when everything posted so far has been sent. */
  async flush(): Promise<void> {
    await this.working;
  }

  /** Takes no more events, and drops those that wait. */
  close(): void {
    this.closed = true;
    this.pending.length = 0;
  }

  private async work(): Promise<void> {
    for (let event = this.pending.shift(); event; event = this.pending.shift()) {
      await this.client.post(event);
      if (this.dropped > 0) {
        this.logger.warn(`${this.dropped} events were not posted, as too many were waiting.`);
        this.dropped = 0;
      }
    }
    this.working = undefined;
  }
}

/** Checks the group and the kind, as other groups can have a kind `Event`. */
function isEvent(apiVersion = '', kind = ''): boolean {
  return kind === 'Event' && (apiVersion === 'v1' || apiVersion.startsWith('events.k8s.io/'));
}
