import type { EventLoopBlockage } from '../../execution/event-loop.blockage.js';
import type { Clock } from 'kube-common';
import type { Leadership } from '../pausing/leadership.js';
import { UNLIMITED, type Timestamp } from '../pausing/leadership.term.js';

interface RecordTerm {
  readonly until: Timestamp;
  readonly onExpired: () => void;
}

/**
 * The leadership of an operator with peering: it lasts while the operator's own records in all peering objects are fresh. After a record
 * has expired, another operator may have taken over. Without any record, there is no limit, as other operators cannot see this one.
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

  /** Reads the clock, so that an expired leadership is noticed. */
  verify(): void {
    void this.leadership.isValid;
  }

  /**
   * Extends the leadership after the record in a peering object was written.
   *
   * @param onExpired called if the record was not written again in time: writes it now, and checks the other operators.
   */
  renew(title: string, record: RecordTerm): void {
    this.records.set(title, record);
    this.extend();
  }

  /** Removes the limit by a peering object that has no record of this operator any more. */
  forget(title: string): void {
    this.records.delete(title);
    this.extend();
  }

  /** Ends the present term, as other operators may have worked in the meantime. The next {@link renew} begins a new term. */
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
