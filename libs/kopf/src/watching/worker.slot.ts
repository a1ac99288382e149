import type { Leadership } from '../coordination/pausing/leadership.js';
import type { LeadershipTerm } from '../coordination/pausing/leadership.term.js';
import { EventLoopBlockedError } from '../execution/event-loop.blockage.js';
import type { Clock } from 'kube-common';
import type { KopfLogger } from '../common/kopf.logger.js';
import type { WatchEvent } from '../objects/kube-object.js';
import type { RequestFence } from '../common/request.fence.js';
import { Pressure } from './pressure.js';
import type { Slots } from './slots.js';
import type { WorkStopwatch } from './work.stopwatch.js';

/**
 * Lets one object's events be processed: it holds a slot of the limited number, but not while it sleeps, and newer events end
 * its sleeps.
 */
export class WorkerSlot {
  readonly pressure = new Pressure();
  /** Is true once the object is known to be gone: another object may bear its name now. */
  isGone = false;
  /** Measures the work on the present event; absent if nobody follows what the operator does. */
  stopwatch?: WorkStopwatch;
  /** Is true while the worker sleeps, or waits for something else than for its turn. */
  isResting = false;
  private outdated = false;
  private term?: LeadershipTerm;
  private currentTenure?: object;

  private followers?: Set<(event: WatchEvent) => void>;

  constructor(
    readonly clock: Clock,
    private readonly slots: Slots,
    /** The events that wait behind the present one. */
    private readonly backlog: readonly WatchEvent[] = [],
  ) {}

  /**
   * Tells of the events that wait behind the present one, and of those that come while it is processed.
   *
   * @returns ends it.
   */
  follow(onEvent: (event: WatchEvent) => void): () => void {
    const followers = (this.followers ??= new Set());
    followers.add(onEvent);
    for (const event of this.backlog) onEvent(event);
    return () => {
      followers.delete(onEvent);
      if (followers.size === 0) this.followers = undefined;
    };
  }

  /** An event has come behind the present one. */
  noteQueued(event: WatchEvent): void {
    if (this.followers) for (const follower of this.followers) follower(event);
  }

  /** Tells whether the operator has paused since the event came: other operators may have changed the object. */
  get isOutdated(): boolean {
    return this.outdated;
  }

  /** Aborted when the leadership is lost with which the event is processed; absent if it cannot be lost for the time being. */
  get signal(): AbortSignal | undefined {
    return this.term?.isLimited ? this.term.signal : undefined;
  }

  /** Identifies the uninterrupted time of work in which the event is processed: in another one, other operators may have been at work. */
  get tenure(): object | undefined {
    return this.currentTenure;
  }

  /** Lets requests be sent as long as the leadership lasts with which the event is processed; absent if it cannot be lost. */
  get fence(): RequestFence | undefined {
    return this.term?.isLimited ? this.term : undefined;
  }

  /** Resolves when it is known whether the leadership goes on; absent if there is nothing to wait for. */
  get pending(): Promise<void> | undefined {
    return this.term?.pending;
  }

  /** Tells whether the results of the event can be stored: the leadership under which it is processed still lasts. */
  get isLeading(): boolean {
    return this.term?.isOpen ?? true;
  }

  /** Checks whether the error only says that the leadership was lost. */
  isLeadershipLoss(error: unknown): boolean {
    return this.term !== undefined && !this.term.isOpen && error === this.term.reason;
  }

  /**
   * Has the object left alone for a while if it was its handler because of which the leadership was lost: called again at once,
   * the handler would have it lost again.
   *
   * @throws EventLoopBlockedError if it was.
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

  /** Ends the sleeps, and the event in progress as soon as possible. */
  interrupt(): void {
    this.outdated = true;
    this.pressure.raise();
  }

  /**
   * Sleeps for the given seconds, or until newer events come.
   *
   * @param enough ends the sleep, which counts as slept then.
   * @returns whether the whole time was slept.
   */
  async sleep(seconds: number, enough?: Promise<unknown>): Promise<boolean> {
    if (seconds <= 0) return true;
    return this.withoutSlot(() => this.pressure.sleep(this.clock, seconds, enough));
  }

  /** Waits without holding up others. */
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
