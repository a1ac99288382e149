import type { EventLoopBlockage } from '../../execution/event-loop.blockage.js';
import type { Clock } from 'kube-common';
import type { Leadership } from '../pausing/leadership.js';
import { UNLIMITED, type Timestamp } from '../pausing/leadership.term.js';

interface RecordTerm {
  readonly until: Timestamp;
  readonly onExpired: () => void;
}

/**
 * Limits the operator's leadership to the time in which its own records in all peering objects are fresh: for the other
 * operators, it has expired afterwards, and one of them has taken over. Without any record there is nothing that others could
 * see, and no limit.
 */
export class PeeringLeadership {
  private readonly records = new Map<string, RecordTerm>();

  constructor(
    private readonly leadership: Leadership,
    private readonly clock: Clock,
  ) {}

  start(): void {
    this.leadership.confirmBy(() => this.expire());
    this.leadership.grant(UNLIMITED);
  }

  /** Checks the clock, so that an expired leadership is noticed. */
  verify(): void {
    void this.leadership.isValid;
  }

  /**
   * The record in a peering object was written.
   *
   * @param onExpired called when it was not written again in time: it is to be written now, and the others to be looked at.
   */
  renew(title: string, record: RecordTerm): void {
    this.records.set(title, record);
    this.extend();
  }

  /** There is no record in the peering object any more. */
  forget(title: string): void {
    this.records.delete(title);
    this.extend();
  }

  /** Others may have worked meanwhile: nothing that was begun is to be ended. The next {@link renew} begins anew. */
  lose(blockage: EventLoopBlockage | undefined): void {
    this.leadership.revoke(blockage);
  }

  private extend(): void {
    const ends = [...this.records.values()].map(({ until }) => until);
    this.leadership.grant({
      monotonic: Math.min(UNLIMITED.monotonic, ...ends.map(({ monotonic }) => monotonic)),
      now: Math.min(UNLIMITED.now, ...ends.map(({ now }) => now)),
    });
  }

  private expire(): boolean {
    const { clock } = this;
    for (const { until, onExpired } of this.records.values()) {
      if (clock.monotonic() >= until.monotonic || clock.now() >= until.now) onExpired();
    }
    return true;
  }
}
