import type { Clock } from 'kube-common';
import { KOPF_CHANNELS, type OperatorIdentity, type QueueMessage } from '../diagnostics/channels.js';
import type { WatchEvent } from '../objects/kube-object.js';
import type { Resource } from '../resources/resources.js';
import { WorkStopwatch } from './work.stopwatch.js';
import type { WorkerSlot } from './worker.slot.js';

/** Measures how long the events of a resource wait in its queues, and how long they are worked on, as long as anybody follows this. */
export class QueueFollower {
  private readonly addedAt = new Map<WatchEvent, number>();

  constructor(
    private readonly clock: Clock,
    private readonly operator: OperatorIdentity,
    private readonly resource: Resource,
  ) {}

  /** Tells whether anybody wants to know of the processing of events. */
  get isAttentive(): boolean {
    const { queueTake, queueDone, cycleEnd } = KOPF_CHANNELS;
    return queueTake.hasSubscribers || queueDone.hasSubscribers || cycleEnd.hasSubscribers;
  }

  /** Takes note of an event that comes into a queue. */
  onAdded(event: WatchEvent): void {
    const { queueAdd } = KOPF_CHANNELS;
    if (!queueAdd.hasSubscribers) {
      // What had come before the last subscriber went is not measured any more. Clearing allocates, so it is not done for nothing.
      if (this.addedAt.size > 0) this.addedAt.clear();
      return;
    }
    const { operator, resource } = this;
    this.addedAt.set(event, this.clock.monotonic());
    queueAdd.publish({ operator, resource });
  }

  /** Takes note of events that leave a queue without being processed. */
  onDropped(events: readonly WatchEvent[]): void {
    if (this.addedAt.size > 0) for (const event of events) this.addedAt.delete(event);
  }

  /** Measures the processing of an event. */
  process(event: WatchEvent, slot: WorkerSlot, process: () => Promise<void>): Promise<void> {
    const { operator, resource, clock } = this;
    const added = this.addedAt.get(event);
    this.addedAt.delete(event);
    const waited = added === undefined ? undefined : (clock.monotonic() - added) / 1000;
    const message: QueueMessage = { operator, resource, waited };
    const stopwatch = new WorkStopwatch(clock);
    slot.stopwatch = stopwatch;
    KOPF_CHANNELS.queueTake.publish(message);
    return process().then(() => {
      message.work = stopwatch.seconds;
      KOPF_CHANNELS.queueDone.publish(message);
      slot.stopwatch = undefined;
    });
  }
}
