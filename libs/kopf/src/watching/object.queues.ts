import type { KubeObject, WatchEvent } from '../objects/kube-object.js';
import { type Clock, Waiters } from 'kube-common';
import type { Leadership } from '../coordination/pausing/leadership.js';
import { LeftSelectorEvent } from './left-selector.event.js';
import type { QueueDiagnostics } from './queue.diagnostics.js';
import { WorkerSlot } from './worker.slot.js';
import type { Backpressure } from './backpressure.js';
import type { Slots } from '../common/slots.js';

/** The consumer of the queued events. */
export interface EventConsumer {
  /** Processes one event of one object. Must not reject. */
  process(event: WatchEvent, key: string, slot: WorkerSlot): Promise<void>;
}

/** The load of the queues of a resource. */
export interface QueueLoad {
  /** The number of events that wait to be processed. */
  readonly waiting: number;
  /** For each event that is being processed, the seconds of work so far. */
  readonly running: readonly number[];
}

interface ObjectQueue {
  readonly backlog: WatchEvent[];
  readonly slot: WorkerSlot;
  isWorking: boolean;
}

/**
 * The queues of the objects of one resource: the events of one object are processed one after another, in their order; different objects
 * are processed concurrently. An object without events has no queue.
 */
export class ObjectQueues {
  private readonly queues = new Map<string, ObjectQueue>();
  private stopped = false;
  private paused = false;
  /** The tenure: an object that is replaced at each pause, so that work from before a pause is recognised. */
  private tenure: object = {};
  private readonly drainage = new Waiters();

  constructor(
    private readonly consumer: EventConsumer,
    private readonly clock: Clock,
    private readonly slots: Slots,
    private readonly backpressure: Backpressure,
    /** The leadership without which nothing is processed; absent if it cannot be lost. */
    private readonly leadership?: Leadership,
    /** The publisher of the diagnostic messages of the queues. @default none are published */
    private readonly diagnostics?: QueueDiagnostics,
  ) {}

  /** The number of objects that are being processed or wait for it. */
  get active(): number {
    return this.queues.size;
  }

  /** The load now. The seconds of work are known only while a diagnostic channel of the queues has subscribers. */
  get load(): QueueLoad {
    let waiting = 0;
    const running: number[] = [];
    for (const { backlog, slot } of this.queues.values()) {
      waiting += backlog.length;
      if (slot.stopwatch?.isRunning) running.push(slot.stopwatch.seconds);
    }
    return { waiting, running };
  }

  /** The keys of the objects that are being processed at this moment, and do not sleep. */
  get working(): Iterable<string> {
    return [...this.queues].flatMap(([key, { slot, isWorking }]) => (isWorking && !slot.isResting ? [key] : []));
  }

  /** Counts the events of an object that wait to be processed. */
  countWaiting(key: string): number {
    return this.queues.get(key)?.backlog.length ?? 0;
  }

  put(event: WatchEvent): void {
    if (this.stopped || (this.paused && !isLast(event))) return;
    this.diagnostics?.onAdded(event);
    const key = objectKey(event.object);
    const queue = this.queues.get(key);
    if (queue) {
      queue.backlog.push(event);
      queue.slot.onQueued(event);
      queue.slot.isGone ||= isDeletion(event);
      queue.slot.pressure.raise();
      if (!queue.isWorking) void this.work(key, queue);
      return;
    }
    const backlog = [event];
    const started = { backlog, slot: new WorkerSlot(this.clock, this.slots, backlog), isWorking: false };
    this.queues.set(key, started);
    void this.work(key, started);
  }

  /**
   * Pauses after the events in progress, and ends all sleeps. Waiting events are dropped, as their objects are listed again after the
   * pause; but deletions and objects that left the selector are kept, as these are not listed again.
   */
  pause(): void {
    this.paused = true;
    this.tenure = {};
    for (const { backlog, slot } of this.queues.values()) {
      this.diagnostics?.onDropped(backlog.filter((event) => !isLast(event)));
      backlog.splice(0, backlog.length, ...backlog.filter(isLast));
      slot.interrupt();
    }
  }

  /** Resumes processing after a pause. */
  resume(): void {
    this.paused = false;
    for (const [key, queue] of this.queues) if (!queue.isWorking) void this.work(key, queue);
  }

  /**
   * Stops taking events and ends all sleeps. Waiting events are dropped; the next session lists their objects again.
   *
   * @returns when the events in progress are processed.
   */
  async stop(): Promise<void> {
    this.stopped = true;
    for (const [key, { backlog, slot, isWorking }] of this.queues) {
      this.diagnostics?.onDropped(backlog);
      backlog.length = 0;
      slot.pressure.raise();
      if (!isWorking) this.queues.delete(key);
    }
    await this.drained();
  }

  /** Resolves when no event is being processed or waits for it. */
  async drained(): Promise<void> {
    if (this.queues.size > 0) await this.drainage.join();
  }

  private async work(key: string, queue: ObjectQueue): Promise<void> {
    const { backlog, slot } = queue;
    queue.isWorking = true;
    const admission = this.backpressure.enter();
    if (admission) await admission;
    const acquired = this.slots.acquire();
    if (acquired) await acquired;
    try {
      for (;;) {
        const pending = this.leadership?.pending;
        if (pending) await pending;
        const event = this.next(backlog);
        if (!event) break;
        if (backlog.length === 0 && !this.stopped) slot.pressure.clear();
        slot.begin(this.leadership, this.tenure);
        if (this.diagnostics?.hasSubscribers) {
          await this.diagnostics.process(event, slot, () => this.consumer.process(event, key, slot));
        } else await this.consumer.process(event, key, slot);
      }
    } finally {
      this.slots.release();
      queue.isWorking = false;
      if (backlog.length === 0) this.queues.delete(key);
      if (this.queues.size === 0) this.drainage.release();
    }
  }

  /** Takes the next event out of the backlog, unless the operator pauses. */
  private next(backlog: WatchEvent[]): WatchEvent | undefined {
    return this.paused || this.leadership?.isValid === false ? undefined : backlog.shift();
  }
}

function isDeletion({ type }: WatchEvent): boolean {
  return type === 'DELETED';
}

/** Whether the event is the last one of its object, which is not listed any more. */
function isLast(event: WatchEvent): boolean {
  return isDeletion(event) || event instanceof LeftSelectorEvent;
}

/**
 * Identifies an object, also after one of the same name has taken its place: by its uid or, for the rare kinds without one, by name and
 * creation time.
 */
export function objectKey({ kind, apiVersion, metadata }: KubeObject): string {
  if (metadata.uid) return metadata.uid;
  const parts = [kind, apiVersion, metadata.name, metadata.namespace, metadata.creationTimestamp];
  return parts.map((part) => part ?? '-').join('//');
}
