import type { Leadership } from '../coordination/pausing/leadership.js';
import type { LeadershipTerm } from '../coordination/pausing/leadership.term.js';
import { EventLoopBlockedError } from '../execution/event-loop.blockage.js';
import type { Clock } from 'kube-common';
import type { KopfLogger } from '../common/kopf.logger.js';
import type { WatchEvent } from '../objects/kube-object.js';
import type { RequestFence } from '../common/request.fence.js';
import { Pressure } from './pressure.js';
import type { Slots } from '../common/slots.js';
import type { WorkStopwatch } from './work.stopwatch.js';

/**
 * The slot in which one object's events are processed. The object takes one of the limited number of slots, but not while it sleeps; newer
 * events end its sleeps.
 */
export class WorkerSlot {
  readonly pressure = new Pressure();
  /** Whether the object is known to be gone. Another object may have its name now. */
  isGone = false;
  /** The stopwatch of the event in progress; absent if no diagnostic channel of the queues has subscribers. */
  stopwatch?: WorkStopwatch;
  /** Whether the worker sleeps, or waits for something other than a slot. */
  isResting = false;
  private outdated = false;
  private term?: LeadershipTerm;
  private currentTenure?: object;

  private subscribers?: Set<(event: WatchEvent) => void>;

  constructor(
    readonly clock: Clock,
    private readonly slots: Slots,
    /** The events that wait behind the present one. */
    private readonly backlog: readonly WatchEvent[] = [],
  ) {}

  /**
   * Passes the events that wait behind the present one to a function, and then those that come while it is processed.
   *
   * @returns a function that ends this.
   */
  follow(onEvent: (event: WatchEvent) => void): () => void {
    const subscribers = (this.subscribers ??= new Set());
    subscribers.add(onEvent);
    for (const event of this.backlog) onEvent(event);
    return () => {
      subscribers.delete(onEvent);
      if (subscribers.size === 0) this.subscribers = undefined;
    };
  }

  /** Passes on an event that was added behind the present one. */
  onQueued(event: WatchEvent): void {
    if (this.subscribers) for (const subscriber of this.subscribers) subscriber(event);
  }

  /** Whether the operator has paused since the event came, so that other operators may have changed the object. */
  get isOutdated(): boolean {
    return this.outdated;
  }

  /** Aborted when the leadership term of the event ends; absent if the leadership cannot be lost for the time being. */
  get signal(): AbortSignal | undefined {
    return this.term?.isLimited ? this.term.signal : undefined;
  }

  /**
   * The tenure in which the event is processed: an identity that changes with each pause, as other operators may have worked in between.
   */
  get tenure(): object | undefined {
    return this.currentTenure;
  }

  /** The fence of requests, which are sent only during the leadership term of the event; absent if the leadership cannot be lost. */
  get fence(): RequestFence | undefined {
    return this.term?.isLimited ? this.term : undefined;
  }

  /** Resolves when an expired leadership is confirmed or lost; absent if there is nothing to wait for. */
  get pending(): Promise<void> | undefined {
    return this.term?.pending;
  }

  /** Whether the results of the event can be stored: its leadership term still lasts. */
  get isLeading(): boolean {
    return this.term?.isOpen ?? true;
  }

  /** Whether an error only says that the leadership was lost. */
  isLeadershipLoss(error: unknown): boolean {
    return this.term !== undefined && !this.term.isOpen && error === this.term.reason;
  }

  /**
   * Throws if a handler of this object has blocked the event loop until the leadership was lost. The error delays the next call: without a
   * delay, the handler would cause the loss again.
   *
   * @throws EventLoopBlockedError if it has.
   */
  checkBlockage(logger: KopfLogger): void {
    const blockage = this.term?.blockage;
    if (blockage?.call?.logger === logger) throw new EventLoopBlockedError(blockage);
  }

  /** Begins with the next event. */
  begin(leadership?: Leadership, tenure?: object): void {
    this.outdated = false;
    this.currentTenure = tenure;
    this.term = leadership?.term;
  }

  /** Ends the sleeps, and lets the event in progress end as soon as possible. */
  interrupt(): void {
    this.outdated = true;
    this.pressure.raise();
  }

  /**
   * Sleeps for the given seconds, or until newer events come.
   *
   * @param enough ends the sleep when it resolves, as if the whole time was slept.
   * @returns whether the whole time was slept.
   */
  async sleep(seconds: number, enough?: Promise<unknown>): Promise<boolean> {
    if (seconds <= 0) return true;
    return this.withoutSlot(() => this.pressure.sleep(this.clock, seconds, enough));
  }

  /** Frees the slot while it waits, so that other objects are processed. */
  async withoutSlot<T>(wait: () => Promise<T>): Promise<T> {
    const { stopwatch } = this;
    stopwatch?.pause();
    this.slots.release();
    this.isResting = true;
    try {
      return await wait();
    } finally {
      this.isResting = false;
      await this.slots.acquire();
      stopwatch?.resume();
    }
  }
}
