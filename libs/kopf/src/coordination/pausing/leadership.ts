// coordination: which of several operators works. peering/ and leader-election/ are two ways to agree; pausing/ is what both need: whether
// the operator pauses, and the leadership without which nothing is written. operator/ decides what stops during a pause.
// May import: client, execution, and what these may import.

import { LinkedSignal } from '../../common/linked.signal.js';
import type { Resource } from '../../resources/resources.js';
import { setMaxListeners } from 'node:events';
import type { Clock } from 'kube-common';
import { fenceSignal } from '../../common/request.fence.js';
import type { EventLoopBlockage } from '../../execution/event-loop.blockage.js';
import { LeadershipTerm, type Timestamp } from './leadership.term.js';

/** A way of coordinating operators so that only one of them works. */
export interface Coordination {
  /**
   * Adapts to the resources of the cluster and to the served namespaces.
   *
   * @param namespaces a single `undefined` means the whole cluster.
   * @returns when it is known whether the operator works or pauses, or that this cannot be known for the time being.
   */
  adjust(available: readonly Resource[], namespaces: readonly (string | undefined)[]): Promise<void>;

  /** Leaves the work to other operators. Never rejects. */
  leave(): Promise<void>;

  /** The Lease as it was read or written last, for inspection; absent before it is known, and with peering. */
  readonly leaseStatus?: LeaseStatus;
}

/** The status of a Lease. */
export interface LeaseStatus {
  readonly namespace: string;
  readonly name: string;
  /** The identity of the holder; absent if the Lease is free. */
  readonly holder?: string;
  /** Whether this operator holds the Lease. */
  readonly isLeader: boolean;
  /** The last renewal in milliseconds since the epoch, by the clock of the holder. */
  readonly renewedAt?: number;
  readonly transitions?: number;
}

/**
 * The leadership of this operator: its permission to work on objects. It lasts until a time that is extended again and again, and can be
 * lost and regained. Work that was begun in a lost term must not be finished in a later one.
 *
 * In the beginning, there is no leadership.
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

  /** Whether the operator leads now. Reads the clocks, as timers can be late. */
  get isValid(): boolean {
    return this.current.isOpen;
  }

  /** Resolves when an expired leadership is confirmed or lost; absent if there is nothing to wait for. */
  get pending(): Promise<void> | undefined {
    return this.current.pending;
  }

  /**
   * Returns a signal that is aborted when the leadership is lost, or with the given signal. Requests with the returned signal are sent only
   * while the leadership lasts.
   */
  within(signal: AbortSignal): AbortSignal {
    const own = this.current.signal;
    let both = this.combined.get(signal);
    if (!both) {
      both = new LinkedSignal(signal, own).signal;
      // All handlers may listen to this signal.
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

  /** Grants the leadership, or extends it, or confirms it if it has expired. */
  grant(until: Timestamp): void {
    if (!this.current.isOver) {
      this.current.extend(until);
      return;
    }
    this.current = new LeadershipTerm(this.clock, until, () => this.onExpired());
    this.combined = new Map();
  }

  /**
   * Revokes the leadership until it is granted again.
   *
   * @param blockage the blockage of the event loop that has prevented its extension, if there was one.
   */
  revoke(blockage?: EventLoopBlockage): void {
    this.current.end(blockage);
  }
}
