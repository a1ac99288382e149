import type { BlockageMonitor } from '../../execution/blockage.monitor.js';
import type { Clock } from 'kube-common';
import type { KopfLogger } from '../../common/kopf.logger.js';
import type { Timestamp } from '../pausing/leadership.term.js';
import type { PeeringLeadership } from './peering.leadership.js';

/** The dependencies of the own record. */
export interface OwnRecordOptions {
  /** The peering object as messages name it. */
  readonly title: string;
  /** Seconds after a keep-alive for which other operators count this one as alive. */
  readonly lifetime: number;
  readonly peeringLeadership: PeeringLeadership;
  readonly monitor: BlockageMonitor;
  readonly clock: Clock;
  readonly logger: KopfLogger;
  /** Called when the record has expired, so that it is written at once. */
  readonly onExpired: () => Expiry;
}

/** The circumstances of an expiry. */
export interface Expiry {
  /** The last known version of the peering object. */
  readonly version: string | undefined;
  /** Whether a blocked event loop has delayed the keep-alive. */
  readonly wasBlocked: boolean;
}

/**
 * The margin by which the operator's own record expires earlier than for other operators: a share of its lifetime, and at most so many
 * seconds.
 */
const MARGIN = { share: 0.1, seconds: 1 };

/** The time in which other operators notice that this one is back: a share of its lifetime, and at most so many seconds. */
const RETURN_DELAY = { share: 0.25, seconds: 5 };

const ADVICE = 'Move long computations to a worker thread, or raise `peering.lifetime` beyond the time that they take.';

/**
 * The record of this operator in one peering object, as other operators see it.
 *
 * After the record has expired, another operator may have taken over unnoticed. That none has is proved by the version of the peering
 * object, as each operator that uses the object writes into it.
 */
export class OwnRecord {
  /** The version of the peering object when the record expired. */
  private version?: string;
  private expired = false;
  private wasBlocked = false;
  private returnsAt = -Infinity;

  constructor(private readonly options: OwnRecordOptions) {}

  /** Whether other operators count this one as expired, as far as it knows. */
  get isExpired(): boolean {
    return this.expired;
  }

  /**
   * The version of the peering object that proves that no other operator has written into it since the record expired; absent if there is
   * no proof.
   */
  get provenVersion(): string | undefined {
    return this.expired ? this.version : undefined;
  }

  /** Seconds until other operators, which may have worked in the meantime, have noticed that this one is back; 0 if there are none. */
  get secondsUntilReturn(): number {
    return Math.max(0, (this.returnsAt - this.options.clock.monotonic()) / 1000);
  }

  /**
   * Records that the keep-alive was written.
   *
   * @param began when the request began.
   */
  renew(began: Timestamp): void {
    const { lifetime, peeringLeadership, monitor, title } = this.options;
    const milliseconds = (lifetime - shareOf(lifetime, MARGIN)) * 1000;
    const until = { monotonic: began.monotonic + milliseconds, now: began.now + milliseconds };
    if (!this.isPast(until)) this.confirm();
    monitor.reset();
    peeringLeadership.renew(title, { until, onExpired: () => this.expire() });
  }

  /** Forgets the record, as the peering object does not exist, or as this operator leaves it. */
  forget(): void {
    this.expired = false;
    this.options.peeringLeadership.forget(this.options.title);
  }

  /** Records that the peering object has another version than {@link provenVersion}, so that another operator has written into it. */
  markAsOverwritten(): void {
    this.version = undefined;
  }

  /**
   * Ends the leadership of the record, as other operators may have worked since it expired; results of work from before are not stored.
   *
   * @param areOthersAlive whether there are other operators that may still be working.
   */
  lose(areOthersAlive: boolean): void {
    const { peeringLeadership, lifetime, clock, logger, title, monitor } = this.options;
    const blockage = this.wasBlocked ? monitor.blockage : undefined;
    this.expired = false;
    if (areOthersAlive) this.returnsAt = clock.monotonic() + shareOf(lifetime, RETURN_DELAY) * 1000;
    const reason = blockage
      ? `${blockage.text}, and the keep-alive in ${title} was not sent in time`
      : `The keep-alive could not be sent to ${title} in time`;
    (blockage?.call?.logger ?? logger).warn(
      `${reason}. Other operators may have worked meanwhile, so what was begun is not stored.${blockage ? ` ${ADVICE}` : ''}`,
    );
    peeringLeadership.lose(blockage);
  }

  private expire(): void {
    if (this.expired) return;
    this.expired = true;
    const { version, wasBlocked } = this.options.onExpired();
    this.version = version;
    this.wasBlocked = wasBlocked;
  }

  private confirm(): void {
    if (!this.expired) return;
    this.expired = false;
    const { monitor, logger, title } = this.options;
    if (!this.wasBlocked) return;
    const { blockage } = monitor;
    (blockage.call?.logger ?? logger).warn(
      `${blockage.text}, and the keep-alive in ${title} was not sent in time. ` +
        `No other operator has come meanwhile, so nothing is lost. ${ADVICE}`,
    );
  }

  private isPast(until: Timestamp): boolean {
    const { clock } = this.options;
    return clock.monotonic() >= until.monotonic || clock.now() >= until.now;
  }
}

function shareOf(lifetime: number, { share, seconds }: { share: number; seconds: number }): number {
  return Math.min(seconds, lifetime * share);
}
