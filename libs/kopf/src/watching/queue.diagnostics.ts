import type { Clock } from 'kube-common';
import { KOPF_CHANNELS, type OperatorIdentity, type QueueMessage } from '../diagnostics/channels.js';
import type { WatchEvent } from '../objects/kube-object.js';
import type { Resource } from '../resources/resources.js';
import { WorkStopwatch } from './work.stopwatch.js';
import type { WorkerSlot } from './worker.slot.js';

/**
 * The publisher of diagnostic messages about the queues of a resource: how long events wait, and how long they are processed. It measures
 * only while a channel has subscribers.
 */
export class QueueDiagnostics {
  private readonly addedAt = new Map<WatchEvent, number>();

  constructor(
    private readonly clock: Clock,
    private readonly operator: OperatorIdentity,
    private readonly resource: Resource,
  ) {}

  /** Whether a channel about the processing of events has subscribers. */
  get hasSubscribers(): boolean {
    const { queueTake, queueDone, cycleEnd } = KOPF_CHANNELS;
    return queueTake.hasSubscribers || queueDone.hasSubscribers || cycleEnd.hasSubscribers;
  }

  /** Publishes that an event was added to a queue, and measures its wait from now on. */
  onAdded(event: WatchEvent): void {
    const { queueAdd } = KOPF_CHANNELS;
    if (!queueAdd.hasSubscribers) {
      // Events that were added before the last subscriber left are not measured. The map is cleared only if it has entries, as clearing
      // allocates memory.
      if (this.addedAt.size > 0) this.addedAt.clear();
      return;
    }
    const { operator, resource } = this;
    this.addedAt.set(event, this.clock.monotonic());
    queueAdd.publish({ operator, resource });
  }

  /** Stops measuring the waits of events that leave a queue without being processed. */
  onDropped(events: readonly WatchEvent[]): void {
    if (this.addedAt.size > 0) for (const event of events) this.addedAt.delete(event);
  }

  /** Processes an event, and publishes how long it has waited and how long its processing takes. */
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
