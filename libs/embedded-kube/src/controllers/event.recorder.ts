import type { Clock } from 'kube-common';
import { timestamp } from '../common/timestamps.js';
import type { KubeObject } from '../resources/kube-object.js';
import type { ControllerClient, ResourceId } from './controller.js';
import { ignoringGone } from './work.queue.js';

const EVENTS: ResourceId = { group: '', plural: 'events' };
/** The number of events that are remembered; a repetition of an older one is written as a new event. */
const REMEMBERED = 4096;

/** The events that a component posts about objects, as client-go's recorder does: a repeated event raises the count of the first. */
export class EventRecorder {
  private readonly posted = new Map<string, { readonly name: string; readonly count: number }>();
  private last = 0;

  constructor(
    private readonly client: ControllerClient,
    private readonly clock: Clock,
    private readonly component: string,
    private readonly host?: string,
  ) {}

  /** Posts a normal event; a failure is of no consequence, as for the real controllers. */
  async normal(object: KubeObject, reason: string, message: string, fieldPath?: string): Promise<void> {
    await this.post(object, 'Normal', reason, message, fieldPath);
  }

  /** Posts a warning. */
  async warning(object: KubeObject, reason: string, message: string, fieldPath?: string): Promise<void> {
    await this.post(object, 'Warning', reason, message, fieldPath);
  }

  private async post(
    { apiVersion, kind, metadata }: KubeObject,
    type: string,
    reason: string,
    message: string,
    fieldPath?: string,
  ): Promise<void> {
    const { namespace = 'default', name = '', uid, resourceVersion } = metadata;
    const key = [namespace, uid, type, reason, message, fieldPath].join('\n');
    const now = timestamp(this.clock.now());
    const before = this.posted.get(key);
    try {
      if (before && this.client.get(EVENTS, namespace, before.name)) {
        const count = before.count + 1;
        this.posted.set(key, { ...before, count });
        await ignoringGone(this.client.patch(EVENTS, namespace, before.name, { count, lastTimestamp: now }));
        return;
      }
      const event = `${name}.${this.suffix()}`;
      this.remember(key, event);
      const source = { component: this.component, ...(this.host && { host: this.host }) };
      await this.client.create(EVENTS, namespace, {
        metadata: { name: event, namespace },
        involvedObject: { apiVersion, kind, namespace: metadata.namespace, name, uid, resourceVersion, fieldPath },
        type,
        reason,
        message,
        source,
        reportingComponent: this.component,
        reportingInstance: this.host ?? '',
        firstTimestamp: now,
        lastTimestamp: now,
        count: 1,
      });
    } catch {
      this.posted.delete(key);
    }
  }

  /** Returns a suffix as the real recorder makes it: the time in nanoseconds, in hexadecimal digits, each once. */
  private suffix(): string {
    this.last = Math.max(this.last + 1, this.clock.now() * 1000);
    return (BigInt(Math.floor(this.last)) * 1000n).toString(16);
  }

  private remember(key: string, name: string): void {
    const [oldest] = this.posted.keys();
    if (this.posted.size >= REMEMBERED && oldest !== undefined) this.posted.delete(oldest);
    this.posted.set(key, { name, count: 1 });
  }
}
