import type { Clock } from 'kube-common';
import type { KopfLogger } from '../common/kopf.logger.js';
import type { Handler } from '../registry/handler.js';
import { EventLoopBlockage, type BlockingCall } from './event-loop.blockage.js';

/**
 * The monitor of the event loop's blockages: for how long, and by which handler, the event loop was blocked when something was not done in
 * time.
 *
 * It remembers only the longest time between two calls of handlers, as most such times are no blockage: only code that had to run in that
 * time knows that the event loop was blocked.
 */
export class BlockageMonitor {
  private lastSign: number;
  private longest = 0;
  private call?: BlockingCall;

  constructor(private readonly clock: Clock) {
    this.lastSign = clock.monotonic();
  }

  /** Called before a handler is called. */
  begin(): void {
    this.note();
  }

  /** Called when the function of a handler has returned: it has failed or succeeded, or its promise is pending. */
  onReturned(handler: Handler, logger: KopfLogger): void {
    this.note(handler, logger, true);
  }

  /** Called when the promise of a handler's function is settled. */
  onSettled(handler: Handler, logger: KopfLogger): void {
    this.note(handler, logger, false);
  }

  /** Begins a new measurement, as the event loop is known to have run in time. */
  reset(): void {
    this.lastSign = this.clock.monotonic();
    this.longest = 0;
    this.call = undefined;
  }

  /** The longest time without a call since the last {@link reset}. */
  get blockage(): EventLoopBlockage {
    this.note();
    return new EventLoopBlockage(this.longest / 1000, this.call);
  }

  private note(handler?: Handler, logger?: KopfLogger, isCertain = false): void {
    const now = this.clock.monotonic();
    const gap = now - this.lastSign;
    this.lastSign = now;
    if (gap <= this.longest) return;
    this.longest = gap;
    this.call = handler && logger && { title: handler.title, logger, isCertain };
  }
}
