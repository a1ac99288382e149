import type { KubeObject, WatchEvent } from '../objects/kube-object.js';
import { type Clock, Waiters } from 'kube-common';
import type { Leadership } from '../coordination/pausing/leadership.js';
import { LeftSelectorEvent } from './left-selector.event.js';
import type { QueueFollower } from './queue.diagnostics.js';
import { WorkerSlot } from './worker.slot.js';
import type { Backpressure } from './backpressure.js';
import type { Slots } from './slots.js';

/** Takes the events that the queues let out. */
export interface EventConsumer {
  /** Processes one event of one object. Must not reject. */
  process(event: WatchEvent, key: string, slot: WorkerSlot): Promise<void>;
}

/** Reports what the queues of a resource have to do. */
export interface QueueLoad {
  /** Counts the events that wait to be processed. */
  readonly waiting: number;
  /** Seconds of work so far of each event that is being worked on. */
  readonly running: readonly number[];
}

interface ObjectQueue {
  readonly backlog: WatchEvent[];
  readonly slot: WorkerSlot;
  isWorking: boolean;
}

/**
 * The queues of the objects of one resource: the events of one object are processed one after another, in their order;
 * different objects are processed at the same time. An object without events costs nothing here.
 */
export class ObjectQueues {
  private readonly queues = new Map<string, ObjectQueue>();
  private stopped = false;
  private paused = false;
  /** Identifies the time since the last pause. */
  private tenure: object = {};
  private readonly drainage = new Waiters();

  constructor(
    private readonly consumer: EventConsumer,
    private readonly clock: Clock,
    private readonly slots: Slots,
    private readonly backpressure: Backpressure,
    /** Limits the processing to the operator's leadership, if it can be lost. */
    private readonly leadership?: Leadership,
    /** Measures what those want to know who follow the operator. @default nothing is measured */
    private readonly follower?: QueueFollower,
  ) {}

  /** Counts the objects that are being processed or wait for it. */
  get active(): number {
    return this.queues.size;
  }

  /** Tells what waits and what is worked on now. The times are known while somebody follows what the operator does. */
  get load(): QueueLoad {
    let waiting = 0;
    const running: number[] = [];
    for (const { backlog, slot } of this.queues.values()) {
      waiting += backlog.length;
      if (slot.stopwatch?.isRunning) running.push(slot.stopwatch.seconds);
    }
    return { waiting, running };
  }

  /** The keys of the objects that are worked on at this moment, and do not sleep. */
  get working(): Iterable<string> {
    return [...this.queues].flatMap(([key, { slot, isWorking }]) => (isWorking && !slot.isResting ? [key] : []));
  }

  put(event: WatchEvent): void {
    if (this.stopped || (this.paused && !isLast(event))) return;
    this.follower?.onAdded(event);
    const key = objectKey(event.object);
    const queue = this.queues.get(key);
    if (queue) {
      queue.backlog.push(event);
      queue.slot.noteQueued(event);
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
   * Stops processing after the events in progress, and ends all sleeps. Waiting events are dropped, as their objects will be
   * listed again; but deletions and objects that left the selector are kept for later: they will not be.
   */
  pause(): void {
    this.paused = true;
    this.tenure = {};
    for (const { backlog, slot } of this.queues.values()) {
      this.follower?.onDropped(backlog.filter((event) => !isLast(event)));
      backlog.splice(0, backlog.length, ...backlog.filter(isLast));
      slot.interrupt();
    }
  }

  /** Goes on after a pause. */
  resume(): void {
    this.paused = false;
    for (const [key, queue] of this.queues) if (!queue.isWorking) void this.work(key, queue);
  }

  /**
   * Stops taking events and ends all sleeps; what waits is dropped, as the cluster still has it.
   *
   * @returns when what is in progress has finished.
   */
  async stop(): Promise<void> {
    this.stopped = true;
    for (const [key, { backlog, slot, isWorking }] of this.queues) {
      this.follower?.onDropped(backlog);
      backlog.length = 0;
      slot.pressure.raise();
      if (!isWorking) this.queues.delete(key);
    }
    await this.drained();
  }

  /** Resolves when nothing is being processed, and nothing waits for it. */
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
        if (this.follower?.isAttentive) {
          await this.follower.process(event, slot, () => this.consumer.process(event, key, slot));
        } else await this.consumer.process(event, key, slot);
      }
    } finally {
      this.slots.release();
      queue.isWorking = false;
      if (backlog.length === 0) this.queues.delete(key);
      if (this.queues.size === 0) this.drainage.release();
    }
  }

  /** The next event to be processed, if any may be. */
  private next(backlog: WatchEvent[]): WatchEvent | undefined {
    return this.paused || this.leadership?.isValid === false ? undefined : backlog.shift();
  }
}

function isDeletion({ type }: WatchEvent): boolean {
  return type === 'DELETED';
}

/** Checks whether the object is not listed any more. */
function isLast(event: WatchEvent): boolean {
  return isDeletion(event) || event instanceof LeftSelectorEvent;
}

/** Identifies an object in space and time: by its uid or, for the rare kinds without one, by all that is known of it. */
export function objectKey({ kind, apiVersion, metadata }: KubeObject): string {
  if (metadata.uid) return metadata.uid;
  const parts = [kind, apiVersion, metadata.name, metadata.namespace, metadata.creationTimestamp];
  return parts.map((part) => part ?? '-').join('//');
}
