import { type Clock, type ClockTimer, Deferred, unlessAborted } from 'kube-common';

/** The limits of the rate of requests. */
export interface RequestLimits {
  /** Requests per second on average; `null` for no limit. */
  readonly qps: number | null;
  /** The most requests at once after an idle time; `null` for as many as in one second. */
  readonly burst: number | null;
}

/** The share of a request that counts as a whole one, so that rounding errors delay no request. */
const NEARLY_ONE = 1 - 1e-9;

/**
 * The budget of requests, which limits their rate. Requests above it wait in their order.
 *
 * The budget fills up continuously, up to the burst. It needs a timer only while a request waits.
 */
export class RequestBudget {
  private readonly waiting = new Set<Deferred>();
  private available?: number;
  private filledAt = 0;
  private timer?: ClockTimer;

  /** @param limits returns the limits, and is called each time */
  constructor(
    private readonly limits: RequestLimits,
    private readonly clock: Clock,
  ) {}

  /** The number of waiting requests. */
  get size(): number {
    return this.waiting.size;
  }

  /**
   * Takes one request out of the budget.
   *
   * @param urgent whether the request does not wait; later requests wait longer instead.
   * @returns `undefined` if the request can be sent at once; otherwise a promise that resolves when it can be sent, and rejects with the
   *   reason of the signal.
   */
  take(signal?: AbortSignal, urgent = false): Promise<void> | undefined {
    const { qps } = this.limits;
    if (qps === null) return undefined;
    const available = this.fill(qps);
    if (urgent || (this.waiting.size === 0 && available >= NEARLY_ONE)) {
      this.available = available - 1;
      return undefined;
    }
    return this.wait(qps, signal);
  }

  private async wait(qps: number, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    const turn = new Deferred();
    this.waiting.add(turn);
    if (this.waiting.size === 1) this.arm(qps);
    try {
      await (signal ? unlessAborted(turn.promise, signal) : turn.promise);
    } finally {
      // The aborted request is still in the queue of those that wait.
      if (this.waiting.delete(turn) && this.waiting.size === 0) this.timer?.cancel();
    }
  }

  private arm(qps: number): void {
    const missing = 1 - (this.available ?? 0);
    this.timer = this.clock.setTimer(() => this.release(), (missing / qps) * 1000);
  }

  private release(): void {
    const { qps } = this.limits;
    let available = qps === null ? Infinity : this.fill(qps);
    for (const turn of this.waiting) {
      if (available < NEARLY_ONE) break;
      available -= 1;
      this.waiting.delete(turn);
      turn.resolve();
    }
    this.available = qps === null ? undefined : available;
    if (qps !== null && this.waiting.size > 0) this.arm(qps);
  }

  private fill(qps: number): number {
    const most = Math.max(1, this.limits.burst ?? qps);
    const now = this.clock.monotonic();
    const filled = this.available === undefined ? most : this.available + ((now - this.filledAt) / 1000) * qps;
    this.filledAt = now;
    this.available = Math.min(filled, most);
    return this.available;
  }
}
