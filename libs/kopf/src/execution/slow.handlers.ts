import type { Clock, ClockTimer } from 'kube-common';
import type { KopfLogger } from '../common/kopf.logger.js';
import type { Handler } from '../registry/handler.js';

/** A call of a handler that has not ended yet. */
export interface PendingCall {
  readonly handler: Pick<Handler, 'id' | 'title'> & { readonly kind?: string };
  readonly logger: KopfLogger;
  /** The uid of the object that the handler is called for; absent if no object is handled. */
  readonly uid?: string;
  /** The number of the attempt, from 1 on. */
  readonly attempt: number;
  /** The time at which the call began, in milliseconds of the monotonic clock. */
  readonly since: number;
}

/**
 * The warnings about handlers that do not return: their objects are not handled any further, which nothing else would show.
 *
 * All calls in progress share one timer, as the call that began first is the first one to be slow.
 */
export class SlowHandlers {
  private readonly calls = new Set<PendingCall>();
  /** The calls of which a warning was logged. */
  private readonly reported = new WeakSet<PendingCall>();
  private timer?: ClockTimer;

  /** @param threshold seconds after which a call is slow; `null` for never. */
  constructor(
    private readonly clock: Clock,
    private readonly threshold: () => number | null,
  ) {}

  /** The calls that have not ended, the longest one first; none if there are no warnings. */
  get pending(): Iterable<PendingCall> {
    return this.calls;
  }

  /** Registers a call that begins, until {@link end}. */
  begin(handler: PendingCall['handler'], logger: KopfLogger, attempt: number, uid?: string): PendingCall | undefined {
    const threshold = this.threshold();
    if (threshold === null) return undefined;
    const call = { handler, logger, uid, attempt, since: this.clock.monotonic() };
    this.calls.add(call);
    this.timer ??= this.clock.setTimer(() => this.sweep(), threshold * 1000);
    return call;
  }

  end(call: PendingCall | undefined): void {
    if (!call || !this.calls.delete(call) || this.calls.size > 0) return;
    this.timer?.cancel();
    this.timer = undefined;
  }

  private sweep(): void {
    this.timer = undefined;
    const threshold = this.threshold();
    if (threshold === null) return;
    const now = this.clock.monotonic();
    for (const call of this.calls) {
      if (this.reported.has(call)) continue;
      const left = call.since + threshold * 1000 - now;
      if (left > 0) {
        this.timer = this.clock.setTimer(() => this.sweep(), left);
        return;
      }
      this.reported.add(call);
      call.logger.warn(
        `${call.handler.title} has not returned for ${threshold} seconds. Nothing else is done for its object until it does: give ` +
          'it a timeout, or pass its signal on to what it waits for.',
      );
    }
  }
}
