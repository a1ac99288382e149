import type { Clock } from 'kube-common';

/** Measures for how many seconds a worker has worked on an event, without the time in which it sleeps or waits for its slot. */
export class WorkStopwatch {
  private worked = 0;
  private since: number | undefined;

  constructor(private readonly clock: Clock) {
    this.since = clock.monotonic();
  }

  /** Tells whether the worker works now. */
  get isRunning(): boolean {
    return this.since !== undefined;
  }

  /** Seconds of work so far. */
  get seconds(): number {
    return this.worked + (this.since === undefined ? 0 : (this.clock.monotonic() - this.since) / 1000);
  }

  pause(): void {
    this.worked = this.seconds;
    this.since = undefined;
  }

  resume(): void {
    this.since = this.clock.monotonic();
  }
}
