import type { KubeObject, WatchEvent } from '../interfaces/kube-object.interface.js';
import type { Clock } from '../interfaces/clock.interface.js';
import { ObjectTurn } from './object.turn.js';
import type { Slots } from './slots.js';

/** Processes one event of one object. Must not throw. */
export type EventProcessing = (event: WatchEvent, key: string, turn: ObjectTurn) => Promise<void>;

interface ObjectQueue {
  readonly backlog: WatchEvent[];
  readonly turn: ObjectTurn;
}

/**
 * The queues of the objects of one resource: the events of one object are processed one after another, in their order;
 * different objects are processed at the same time. An object without events costs nothing here.
 */
export class ObjectQueues {
  private readonly queues = new Map<string, ObjectQueue>();
  private stopped = false;
  private onDrained?: () => void;

  constructor(
    private readonly process: EventProcessing,
    private readonly clock: Clock,
    private readonly slots: Slots,
  ) {}

  /** How many objects are being processed or wait for it. */
  get active(): number {
    return this.queues.size;
  }

  put(event: WatchEvent): void {
    if (this.stopped) return;
    const key = objectKey(event.object);
    const queue = this.queues.get(key);
    if (queue) {
      queue.backlog.push(event);
      queue.turn.pressure.raise();
      return;
    }
    const started = { backlog: [event], turn: new ObjectTurn(this.clock, this.slots) };
    this.queues.set(key, started);
    void this.work(key, started);
  }

  /**
   * Stops taking events and ends all sleeps; what waits is dropped, as the cluster still has it.
   *
   * @returns when what is in progress has finished.
   */
  async stop(): Promise<void> {
    this.stopped = true;
    for (const { backlog, turn } of this.queues.values()) {
      backlog.length = 0;
      turn.pressure.raise();
    }
    if (this.queues.size > 0) await new Promise<void>((resolve) => (this.onDrained = resolve));
  }

  private async work(key: string, { backlog, turn }: ObjectQueue): Promise<void> {
    await this.slots.acquire();
    try {
      for (let event = backlog.shift(); event; event = backlog.shift()) {
        if (backlog.length === 0 && !this.stopped) turn.pressure.clear();
        await this.process(event, key, turn);
      }
    } finally {
      this.slots.release();
      this.queues.delete(key);
      if (this.queues.size === 0) this.onDrained?.();
    }
  }
}

/** What identifies an object in space and time: its uid or, for the rare kinds without one, all that is known of it. */
export function objectKey({ kind, apiVersion, metadata }: KubeObject): string {
  if (metadata.uid) return metadata.uid;
  const parts = [kind, apiVersion, metadata.name, metadata.namespace, metadata.creationTimestamp];
  return parts.map((part) => part ?? '-').join('//');
}
