import type { Clock } from 'kube-common';

/** A stopwatch of the seconds for which a worker has processed an event, without its sleeps and its waits for a slot. */
export class WorkStopwatch {
  private worked = 0;
  private since: number | undefined;

  constructor(private readonly clock: Clock) {
    this.since = clock.monotonic();
  }

  /** Whether the worker is working now. */
  get isRunning(): boolean {
    return this.since !== undefined;
  }

  /** The seconds of work so far. */
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
