// coordination: which of several operators works. peering/ and leader-election/ find it out in their own ways, and pausing/ is what
// both have in common: whether the operator pauses, and the leadership without which nothing is written.
// What pauses and what goes on is decided in operator/.
// May import: client, execution, and what these may import.

import { LinkedSignal } from '../../common/linked.signal.js';
import type { Resource } from '../../resources/resources.js';
import { setMaxListeners } from 'node:events';
import type { Clock } from 'kube-common';
import { fenceSignal } from '../../common/request.fence.js';
import type { EventLoopBlockage } from '../../execution/event-loop.blockage.js';
import { LeadershipTerm, type Timestamp } from './leadership.term.js';

/** Coordinates operators, so that only one of them works. */
export interface Coordination {
  /**
   * Adapts to the resources of the cluster and to the served namespaces.
   *
   * @param namespaces a single `undefined` means the whole cluster.
   * @returns when it is known whether the operator works or pauses, or when this cannot be found out for the time being.
   */
  adjust(available: readonly Resource[], namespaces: readonly (string | undefined)[]): Promise<void>;

  /** Lets others work. Never rejects. */
  leave(): Promise<void>;

  /** The Lease as it was read or written last, for those who show it; absent for other ways of agreement, and before it is known. */
  readonly leaseStatus?: LeaseStatus;
}

/** Tells who holds a Lease. */
export interface LeaseStatus {
  readonly namespace: string;
  readonly name: string;
  /** Absent if nobody holds it. */
  readonly holder?: string;
  /** Tells whether this operator holds it. */
  readonly isLeader: boolean;
  /** In milliseconds since the epoch, on the clock of the holder. */
  readonly renewedAt?: number;
  readonly transitions?: number;
}

/**
 * Tells whether this operator may work on objects. Leadership lasts until a time that is extended again and again, and can be
 * lost and regained. What was begun in a lost term must not be finished, not even under a new leadership: this is another term.
 *
 * There is no leadership in the beginning.
 */
export class Leadership {
  private current: LeadershipTerm;
  private combined = new Map<AbortSignal, AbortSignal>();
  private onExpired: () => boolean = () => false;

  constructor(private readonly clock: Clock) {
    this.current = new LeadershipTerm(clock, { monotonic: -Infinity, now: -Infinity });
    this.current.end();
  }

  /** The term that lasts now, or the last one. */
  get term(): LeadershipTerm {
    return this.current;
  }

  /** Tells whether the operator leads now. It looks at the clock, as timers can be late. */
  get isValid(): boolean {
    return this.current.isOpen;
  }

  /** Resolves when a right that has expired is confirmed or lost; absent if there is nothing to wait for. */
  get pending(): Promise<void> | undefined {
    return this.current.pending;
  }

  /** Aborted when the right is lost, or with the given signal; requests that are made with it are sent only as long as the right lasts. */
  within(signal: AbortSignal): AbortSignal {
    const own = this.current.signal;
    let both = this.combined.get(signal);
    if (!both) {
      both = new LinkedSignal(signal, own).signal;
      // All handlers can listen to it.
      setMaxListeners(0, both);
      fenceSignal(both, this.current);
      this.combined.set(signal, both);
    }
    return both;
  }

  /**
   * Registers the callback that is asked when the leadership has expired.
   *
   * @param confirm returns whether the leadership can still be confirmed by {@link grant}; otherwise it is lost at once.
   */
  confirmBy(confirm: () => boolean): void {
    this.onExpired = confirm;
  }

  /** Gives the right, or extends it, or confirms it if it has expired. */
  grant(until: Timestamp): void {
    if (!this.current.isOver) {
      this.current.extend(until);
      return;
    }
    this.current = new LeadershipTerm(this.clock, until, () => this.onExpired());
    this.combined = new Map();
  }

  /**
   * Takes the right away, until it is given again.
   *
   * @param blockage why it could not be extended in time, if the event loop was blocked.
   */
  revoke(blockage?: EventLoopBlockage): void {
    this.current.end(blockage);
  }
}
