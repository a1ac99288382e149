import type { EventLoopBlockage } from '../../execution/event-loop.blockage.js';
import type { Clock } from '../../common/clock.interface.js';
import type { Authority } from '../pausing/authority.js';
import { UNLIMITED, type Moment } from '../pausing/leadership.term.js';

interface OwnRecord {
  readonly until: Moment;
  readonly onExpired: () => void;
}

/**
 * Lets the operator work only as long as its own records in all peering objects are fresh: to the others, it is dead afterwards,
 * and one of them has taken over. Without any record there is nothing that others could see, and no limit.
 */
export class PeeringLeadership {
  private readonly records = new Map<string, OwnRecord>();

  constructor(
    private readonly authority: Authority,
    private readonly clock: Clock,
  ) {}

  start(): void {
    this.authority.confirmBy(() => this.expire());
    this.authority.grant(UNLIMITED);
  }

  /** Looks at the clock, so that what has expired is known to be. */
  verify(): void {
    void this.authority.isValid;
  }

  /**
   * The record in a peering object was written.
   *
   * @param onExpired called when it was not written again in time: it is to be written now, and the others to be looked at.
   */
  renew(title: string, record: OwnRecord): void {
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
    this.authority.revoke(blockage);
  }

  private extend(): void {
    const ends = [...this.records.values()].map(({ until }) => until);
    this.authority.grant({
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
