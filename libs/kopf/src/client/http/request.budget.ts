import { type Clock, type ClockTimer, Deferred, unlessAborted } from 'kube-common';

/** Limits the rate of requests. */
export interface RequestLimits {
  /** Requests per second in the long run; `null` for no limit. */
  readonly qps: number | null;
  /** Allows so many requests at once after a quiet time; `null` for those of one second. */
  readonly burst: number | null;
}

/** Remainders of divisions must not keep anybody waiting. */
const NEARLY_ONE = 1 - 1e-9;

/**
 * Limits the rate of requests; those beyond the budget wait in their order.
 *
 * The budget fills up continuously, up to the burst. It costs no timer while no request waits.
 */
export class RequestBudget {
  private readonly waiting = new Set<Deferred>();
  private available?: number;
  private filledAt = 0;
  private timer?: ClockTimer;

  /** @param limits are looked at anew each time. */
  constructor(
    private readonly limits: RequestLimits,
    private readonly clock: Clock,
  ) {}

  /** Counts the requests that wait. */
  get size(): number {
    return this.waiting.size;
  }

  /**
   * Takes one request out of the budget.
   *
   * @param urgent does not wait; later requests wait for it instead.
   * @returns `undefined` if the request can be sent at once; otherwise resolves when it can be, and rejects with the
   * signal's reason.
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
      // One that was aborted still waits.
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
