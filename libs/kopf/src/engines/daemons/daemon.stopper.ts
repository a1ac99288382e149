import { StopReason } from '../../enums/stop-reason.enum.js';
import type { Clock } from '../../interfaces/clock.interface.js';
import type { StopFlag } from '../../interfaces/stop-flag.interface.js';

/** The flag and the signal of one daemon or timer. The signal comes into being only if it is asked for. */
export class DaemonStopper implements StopFlag {
  private flags = 0;
  private controller?: AbortController;
  private waiters?: Set<() => void>;

  constructor(private readonly clock: Clock) {}

  get isSet(): boolean {
    return this.flags !== 0;
  }

  get reason(): number {
    return this.flags;
  }

  get signal(): AbortSignal {
    if (!this.controller) {
      this.controller = new AbortController();
      if (this.has(StopReason.DAEMON_CANCELLED)) this.controller.abort();
    }
    return this.controller.signal;
  }

  has(reason: StopReason): boolean {
    return (this.flags & reason) !== 0;
  }

  set(reason: StopReason): void {
    this.flags |= reason;
    const waiters = this.waiters;
    this.waiters = undefined;
    if (waiters) for (const wake of waiters) wake();
  }

  /** Aborts the signal. */
  cancel(): void {
    this.set(StopReason.DAEMON_CANCELLED);
    this.controller?.abort();
  }

  wait(seconds?: number): Promise<boolean> {
    if (this.isSet) return Promise.resolve(true);
    return new Promise((resolve) => {
      const finish = (): void => {
        this.waiters?.delete(finish);
        timer?.cancel();
        resolve(this.isSet);
      };
      const timer = seconds === undefined ? undefined : this.clock.setTimer(finish, seconds * 1000);
      (this.waiters ??= new Set()).add(finish);
    });
  }
}
