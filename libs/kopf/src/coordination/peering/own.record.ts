import type { BlockageMonitor } from '../../execution/blockage.monitor.js';
import type { Clock } from 'kube-common';
import type { KopfLogger } from '../../common/kopf.logger.js';
import type { Timestamp } from '../pausing/leadership.term.js';
import type { PeeringLeadership } from './peering.leadership.js';

/** Lists the dependencies of the own record. */
export interface OwnRecordOptions {
  /** Names the peering object in the log. */
  readonly title: string;
  /** Seconds for which the others count the operator as alive. */
  readonly lifetime: number;
  readonly peeringLeadership: PeeringLeadership;
  readonly monitor: BlockageMonitor;
  readonly clock: Clock;
  readonly logger: KopfLogger;
  /** Called when the record has expired: it is to be written at once. */
  readonly onExpired: () => Expiry;
}

/** Reports the situation in which the record expired. */
export interface Expiry {
  /** Names the version of the peering object as it is known. */
  readonly version: string | undefined;
  /** Tells whether the keep-alive was not sent in time because the event loop was blocked. */
  readonly wasBlocked: boolean;
}

/** The part of its lifetime, and the seconds at most, by which the operator's own record expires before it does for others. */
const MARGIN = { share: 0.1, seconds: 1 };

/** The part of the lifetime, and the seconds at most, for others to notice that this operator is back. */
const RETURN_DELAY = { share: 0.25, seconds: 5 };

const ADVICE = 'Move long computations to a worker thread, or raise `peering.lifetime` beyond the time that they take.';

/**
 * Tracks the operator's own record in one peering object, as other operators see it.
 *
 * If it has expired, another operator may have taken over unnoticed. The proof that none has is the version of the peering
 * object: every operator that takes part in it has to write into it.
 */
export class OwnRecord {
  /** The version of the peering object when the record expired. */
  private version?: string;
  private expired = false;
  private wasBlocked = false;
  private returnsAt = -Infinity;

  constructor(private readonly options: OwnRecordOptions) {}

  /** Tells whether this operator has expired for the others, as far as it knows. */
  get isExpired(): boolean {
    return this.expired;
  }

  /**
   * Names the version that the peering object has if nobody has written into it since the record expired; absent if there is no
   * proof.
   */
  get provenVersion(): string | undefined {
    return this.expired ? this.version : undefined;
  }

  /** Seconds until others that may have worked meanwhile have noticed that this operator is back; 0 if there are none. */
  get secondsUntilReturn(): number {
    return Math.max(0, (this.returnsAt - this.options.clock.monotonic()) / 1000);
  }

  /**
   * Notes that the record was written.
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

  /** There is no record any more, as there is no peering object, or as this operator leaves it. */
  forget(): void {
    this.expired = false;
    this.options.peeringLeadership.forget(this.options.title);
  }

  /** Notes that the peering object has another version than {@link provenVersion}: another operator has written into it. */
  markAsOverwritten(): void {
    this.version = undefined;
  }

  /**
   * Others may have worked since the record expired: nothing that was begun is stored.
   *
   * @param areOthersAlive whether there are others that may be at work still.
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
