import { InspectedAs } from '../common/inspection.js';
import { StopReason, type StopFlag } from '../contexts/stop-flag.js';
import { fenceSignal, type RequestFence } from '../common/request.fence.js';
import type { HeapTimer, TimerHeap } from 'kube-common';

/** One call of `wait()`. It is small, as each sleeping daemon has one. */
class Waiter implements HeapTimer {
  due = 0;
  order = 0;
  position = -1;

  constructor(
    private readonly stopper: DaemonStopper,
    readonly resolve: (isSet: boolean) => void,
  ) {}

  fire(): void {
    this.stopper.wake(this);
  }
}

/** The stop flag and the signal of one daemon or timer. The signal is created only when it is first read. */
@InspectedAs<DaemonStopper>((stopper) => stopper.toJSON())
export class DaemonStopper implements StopFlag {
  private flags = 0;
  private controller?: AbortController;
  /** The call of `wait()` in progress. Usually there is at most one; further ones are in `others`. */
  private waiter?: Waiter;
  private others?: Set<Waiter>;

  /** @param fence the fence of requests that are made with the signal */
  constructor(
    private readonly heap: TimerHeap,
    private readonly fence?: RequestFence,
  ) {}

  get isSet(): boolean {
    return this.flags !== 0;
  }

  get reason(): number {
    return this.flags;
  }

  get signal(): AbortSignal {
    if (!this.controller) {
      this.controller = new AbortController();
      if (this.fence) fenceSignal(this.controller.signal, this.fence);
      if (this.has(StopReason.DAEMON_CANCELLED)) this.controller.abort();
    }
    return this.controller.signal;
  }

  /** The public part of the flag, for inspection: the timers behind it have circular references. */
  toJSON(): Pick<StopFlag, 'isSet' | 'reason'> {
    const { isSet, reason } = this;
    return { isSet, reason };
  }

  has(reason: StopReason): boolean {
    return (this.flags & reason) !== 0;
  }

  set(reason: StopReason): void {
    this.flags |= reason;
    if (this.waiter) this.wake(this.waiter);
    for (const waiter of this.others ?? []) this.wake(waiter);
  }

  /** Aborts the signal. */
  cancel(): void {
    this.set(StopReason.DAEMON_CANCELLED);
    this.controller?.abort();
  }

  wait(seconds?: number): Promise<boolean> {
    if (this.isSet) return Promise.resolve(true);
    return new Promise((resolve) => {
      const waiter = new Waiter(this, resolve);
      if (this.waiter) (this.others ??= new Set()).add(waiter);
      else this.waiter = waiter;
      if (seconds !== undefined) this.heap.schedule(waiter, this.heap.monotonic() + Math.max(0, seconds || 0) * 1000);
    });
  }

  /** Ends one call of `wait()`. */
  wake(waiter: Waiter): void {
    this.heap.remove(waiter);
    if (this.waiter === waiter) this.waiter = undefined;
    else this.others?.delete(waiter);
    waiter.resolve(this.isSet);
  }
}
