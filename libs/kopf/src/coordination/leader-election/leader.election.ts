import { ApiConflictError } from '../../client/api/api.errors.js';
import type { EventLoopBlockage } from '../../execution/event-loop.blockage.js';
import type { BlockageMonitor } from '../../execution/blockage.monitor.js';
import { type Clock, type ClockTimer, Deferred, errorText, type Random, Signal } from 'kube-common';
import type { KopfLogger } from '../../common/kopf.logger.js';
import type { LeaseSettings } from '../../settings/coordination.settings.js';
import type { Leadership, Coordination, LeaseStatus } from '../pausing/leadership.js';
import type { Timestamp } from '../pausing/leadership.term.js';
import type { Pauses } from '../pausing/pauses.js';
import {
  claimLease,
  leaseStatusOf,
  releaseLease,
  termOf,
  type Lease,
  type LeaseClient,
  LeaseObservation,
} from './lease.js';

/** The dependencies of leader election. */
export interface LeaderElectionOptions {
  readonly client: LeaseClient;
  readonly identity: string;
  readonly settings: LeaseSettings;
  readonly pauses: Pauses;
  readonly leadership: Leadership;
  readonly monitor: BlockageMonitor;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: KopfLogger;
}

const BLOCKER = 'lease';

/** The share of the time between the renew deadline and the end of the lease in which a slow renewal can still confirm an expired leadership. */
const CONFIRMABLE = 0.5;

/** The longest time for the request that releases the Lease, in seconds. */
const RELEASE_TIMEOUT = 3;

const ADVICE =
  'Move long computations to a worker thread, or raise `lease.renewDeadline` and `lease.leaseDuration` beyond the time that they take.';

/** The share by which the intervals of candidates are randomized, so that they do not read the Lease at the same time. */
const JITTER = 0.1;

/**
 * The election of a leader by a Lease: the operator works while it holds the Lease.
 *
 * Its leadership lasts until the renew deadline after the beginning of its last successful renewal, even while it cannot reach the API
 * server. Other replicas take the Lease only after the whole lease duration, which is longer.
 *
 * If the API server is slow, so that the answer to a renewal is still to come at the deadline, nothing is written or begun until it comes. No other
 * replica can have led by then. The leadership is lost when half of the time to the end of the lease is over, or when the answer shows another term.
 *
 * While the event loop is blocked, the Lease cannot be renewed, and no work can be aborted in time. When the blockage ends, the Lease is
 * renewed at once: if it is as this operator has written it last, or at least of the same term, no other replica has led in the meantime,
 * and the work continues.
 */
export class LeaderElection implements Coordination {
  private readonly stopping = new AbortController();
  private readonly observation = new LeaseObservation();
  private readonly decision = new Deferred();
  private lease?: Lease;
  private isLeading = false;
  private until?: Timestamp;
  private term?: string;
  private readonly wanted = new Signal();
  /** The monotonic time by which this code runs again unless the event loop is blocked. */
  private dueAt = Infinity;
  /** The monotonic time until which an expired leadership can be confirmed. */
  private confirmUntil = -Infinity;
  private blockage?: EventLoopBlockage;
  /** Whether an expired leadership is still to be confirmed. */
  private isConfirming = false;
  /** The monotonic time at which the request was sent whose answer is still to come. */
  private askedAt?: number;
  /** Seconds that the API server has taken for the last request, or was given for it. */
  private slowness = 0;
  /** The last renewal whose answer has not come in time. It may be stored. */
  private unanswered?: { readonly renewTime: string; readonly until: Timestamp };
  private expiry?: ClockTimer;
  private failures = 0;
  private running?: Promise<void>;

  constructor(private readonly options: LeaderElectionOptions) {}

  async adjust(): Promise<void> {
    if (!this.running) {
      const { client, leadership, pauses } = this.options;
      leadership.confirmBy(() => this.tryToConfirm());
      leadership.revoke();
      pauses.set(BLOCKER, `The ${client.title} is not held yet.`);
      this.running = this.run(this.stopping.signal);
    }
    await this.decision.promise;
  }

  get leaseStatus(): LeaseStatus {
    const { client, identity } = this.options;
    return leaseStatusOf(client, this.lease, identity);
  }

  async leave(): Promise<void> {
    this.stopping.abort();
    await this.running;
    this.expiry?.cancel();
    const { client, clock, logger, pauses, leadership, identity } = this.options;
    this.isLeading = false;
    leadership.revoke();
    // The last request may have taken the Lease without the leadership having been used.
    const isHeld = this.lease?.spec?.holderIdentity === identity;
    try {
      if (isHeld && this.lease) {
        await client.write(this.lease, releaseLease(this.lease.spec ?? {}, clock.now()), RELEASE_TIMEOUT);
      }
    } catch (error) {
      logger.warn(`The ${client.title} could not be released: ${errorText(error)}`);
    }
    pauses.lift(BLOCKER);
    this.decision.resolve();
  }

  private async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.attempt();
      this.decision.resolve();
      const delay = this.nextDelay();
      this.expectWithin(delay);
      await this.wanted.wait(this.options.clock, delay, signal);
    }
  }

  /** Takes or renews the Lease, or reads who holds it. */
  private async attempt(): Promise<void> {
    const { clock } = this.options;
    try {
      // The leader has the Lease as it has written it. If the Lease has changed since, the API server answers the write with a conflict.
      if (!this.lease || !this.isLeading) await this.read();
      else this.observation.observe(this.lease.spec, clock.monotonic());
      if (this.freeAt > clock.monotonic()) this.standBy();
      else await this.claim();
      this.failures = 0;
    } catch (error) {
      this.lease = undefined;
      if (error instanceof ApiConflictError) await this.lookAgain();
      else this.report(error);
    }
  }

  private async claim(): Promise<void> {
    const { client, identity, settings, clock } = this.options;
    const began = { monotonic: clock.monotonic(), now: clock.now() };
    const spec = claimLease(this.lease?.spec, identity, settings.leaseDuration, began.now);
    const milliseconds = settings.renewDeadline * 1000;
    const until = { monotonic: began.monotonic + milliseconds, now: began.now + milliseconds };
    this.unanswered = { renewTime: spec.renewTime!, until };
    this.lease = await this.ask(() => client.write(this.lease, spec, this.timeout));
    this.unanswered = undefined;
    this.observation.observe(this.lease.spec, clock.monotonic());
    this.lead(until);
  }

  /** Reads the Lease. A renewal whose answer has not come in time counts if it is stored. */
  private async read(): Promise<void> {
    const { client, clock, identity } = this.options;
    this.lease = await this.ask(() => client.get(this.timeout));
    this.observation.observe(this.lease?.spec, clock.monotonic());
    const { unanswered } = this;
    this.unanswered = undefined;
    const isStored = this.observation.holder === identity && this.lease?.spec?.renewTime === unanswered?.renewTime;
    if (unanswered && isStored && this.isLeading) this.lead(unanswered.until);
  }

  /** Sends a request for the Lease, and measures how slow the API server is. */
  private async ask<T>(request: () => Promise<T>): Promise<T> {
    const { clock, settings } = this.options;
    const began = clock.monotonic();
    this.expectWithin(this.timeout);
    this.askedAt = began;
    try {
      const answer = await request();
      this.slowness = this.secondsSince(began);
      return answer;
    } catch (error) {
      const seconds = this.secondsSince(began);
      this.slowness = seconds < settings.retryPeriod ? 0 : seconds;
      throw error;
    } finally {
      this.askedAt = undefined;
    }
  }

  private secondsSince(monotonic: number): number {
    return (this.options.clock.monotonic() - monotonic) / 1000;
  }

  /** Reads the Lease again after another replica has changed it, as the leader must know at once whether it has lost the Lease. */
  private async lookAgain(): Promise<void> {
    try {
      await this.read();
      if (this.observation.holder !== this.options.identity) this.standBy();
      else if (this.isLeading) await this.claim();
    } catch (error) {
      this.lease = undefined;
      this.report(error);
    }
  }

  private lead(until: Timestamp): void {
    const { leadership, pauses, client, logger, clock, monitor } = this.options;
    if (this.stopping.signal.aborted && !this.isLeading) return;
    // A response after the deadline cannot extend the leadership.
    if (clock.monotonic() >= until.monotonic || clock.now() >= until.now) return;
    const term = termOf(this.lease);
    // Another replica may have led in the meantime.
    if (this.isLeading && (leadership.term.isOver || term !== this.term)) this.lose();
    this.term = term;
    this.until = until;
    leadership.grant(until);
    this.reportConfirmation();
    this.isConfirming = false;
    monitor.reset();
    this.armExpiry();
    if (this.isLeading) return;
    this.isLeading = true;
    logger.log(`This operator works, as it holds the ${client.title}.`);
    pauses.lift(BLOCKER);
  }

  private standBy(): void {
    const { client, pauses, logger } = this.options;
    const { holder } = this.observation;
    const reason = `The ${client.title} is held by ${holder || 'no operator'}.`;
    if (this.isLeading) {
      this.isLeading = false;
      logger.warn(`This operator pauses: it has lost the ${client.title} to ${holder || 'no operator'}.`);
    }
    this.revoke();
    pauses.set(BLOCKER, reason);
  }

  private report(error: unknown): void {
    const { client, logger } = this.options;
    this.failures += 1;
    const level = this.failures === 1 ? 'warn' : 'debug';
    const what = this.isLeading ? 'renewed' : 'taken';
    logger[level](`The ${client.title} could not be ${what}, which is tried again: ${errorText(error)}`);
  }

  /**
   * Starts the timer of the expiry. One timer serves all renewals: when it fires, it checks how long the Lease is held now, and sleeps for
   * the rest.
   */
  private armExpiry(): void {
    this.expiry ??= this.options.clock.setTimer(() => this.expire(), this.millisecondsLeft);
  }

  private expire(): void {
    this.expiry = undefined;
    if (!this.isLeading) return;
    // This read may begin the confirmation of the leadership, so it comes first.
    const { isValid } = this.options.leadership;
    if (this.millisecondsLeft > 0 && (isValid || this.isConfirming)) this.armExpiry();
    else this.lose();
  }

  /**
   * Called when the leadership has expired. If the event loop was blocked, that alone has prevented the renewal, and the Lease is renewed
   * now. If the API server is slow, its answer can still come in time. Otherwise the renewals have failed, and the leadership is lost at once.
   */
  private tryToConfirm(): boolean {
    const { clock, monitor, settings } = this.options;
    const now = clock.monotonic();
    const { monotonic: until } = this.until ?? { monotonic: 0 };
    if (!this.isLeading) return false;
    if (now < until || now > this.dueAt + settings.retryPeriod * 1000) {
      this.blockage = monitor.blockage;
      this.confirmUntil = now + Math.max(settings.retryPeriod, settings.renewDeadline / 3) * 1000;
      this.wanted.raise();
    } else {
      this.confirmUntil = until + (settings.leaseDuration - settings.renewDeadline) * CONFIRMABLE * 1000;
      if (this.askedAt === undefined || this.askedAt >= now || now >= this.confirmUntil) return false;
    }
    this.isConfirming = true;
    this.expiry?.cancel();
    this.expiry = undefined;
    this.armExpiry();
    return true;
  }

  private reportConfirmation(): void {
    const { blockage, isConfirming } = this;
    const { client, logger } = this.options;
    this.blockage = undefined;
    if (!blockage) {
      if (!isConfirming) return;
      logger.warn(
        `The ${client.title} was renewed too late, as the API server is slow. No other replica has taken it meanwhile, so nothing is lost.`,
      );
      return;
    }
    (blockage.call?.logger ?? logger).warn(
      `${blockage.text}, and the ${client.title} was not renewed in time. ` +
        `No other replica has taken it meanwhile, so nothing is lost. ${ADVICE}`,
    );
  }

  /** Ends the leadership, and logs a warning if a blocked event loop was the reason. */
  private revoke(): void {
    const { leadership, client, logger } = this.options;
    const { blockage } = this;
    this.blockage = undefined;
    this.isConfirming = false;
    leadership.revoke(blockage);
    if (!blockage) return;
    (blockage.call?.logger ?? logger).warn(
      `${blockage.text}, and the ${client.title} was lost. What was done meanwhile is not stored, ` +
        `as another replica may have done it, too. ${ADVICE}`,
    );
  }

  /** Sets the time by which the event loop must run this code again. Reading `isValid` first detects a blockage that has just ended. */
  private expectWithin(seconds: number): void {
    const { leadership, clock } = this.options;
    void leadership.isValid;
    this.dueAt = clock.monotonic() + seconds * 1000;
  }

  private lose(): void {
    const { client, logger, pauses } = this.options;
    this.isLeading = false;
    this.revoke();
    logger.warn(`This operator pauses: it could not renew the ${client.title} in time.`);
    pauses.set(BLOCKER, `The ${client.title} could not be renewed.`);
  }

  private get millisecondsLeft(): number {
    const until = this.isConfirming ? this.confirmUntil : (this.until?.monotonic ?? 0);
    return until - this.options.clock.monotonic();
  }

  private get freeAt(): number {
    return this.observation.freeAt(this.options.identity, this.options.settings.leaseDuration);
  }

  /**
   * The timeout of one request, in seconds: short enough for the leader to learn in time whether it still leads, and longer than the API server takes
   * at present.
   */
  private get timeout(): number {
    const { renewDeadline, retryPeriod } = this.options.settings;
    return Math.max(retryPeriod, renewDeadline / 2, Math.min(renewDeadline, 2 * this.slowness));
  }

  private nextDelay(): number {
    const { settings, random, clock } = this.options;
    if (this.isConfirming) return settings.retryPeriod / 10;
    // A slow API server takes most of the time that the leadership lasts, so that the next renewal begins at once.
    if (this.isLeading) return Math.max(0, settings.retryPeriod - this.slowness);
    const delay = settings.retryPeriod * (1 + JITTER * random.next());
    const untilFree = (this.freeAt - clock.monotonic()) / 1000;
    return untilFree > 0 ? Math.min(delay, untilFree) : delay;
  }
}
