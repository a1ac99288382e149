import type { Clock } from 'kube-common';
import type { KopfLogger } from '../common/kopf.logger.js';
import type { Handler } from '../registry/handler.js';
import { EventLoopBlockage, type BlockingCall } from './event-loop.blockage.js';

/**
 * Finds out for how long the event loop was blocked, and by which handler, when something was not done in time because of it.
 *
 * It takes note of the calls of handlers and remembers nothing but the longest time without any of them, as most of these times
 * mean nothing: only those who know that they had to run in it can tell that the event loop was blocked.
 */
export class BlockageMonitor {
  private lastSign: number;
  private longest = 0;
  private call?: BlockingCall;

  constructor(private readonly clock: Clock) {
    this.lastSign = clock.monotonic();
  }

  /** A handler is about to be called. */
  begin(): void {
    this.note();
  }

  /** The handler's function has returned: it has failed, or succeeded, or goes on with other things in between. */
  onReturned(handler: Handler, logger: KopfLogger): void {
    this.note(handler, logger, true);
  }

  /** Notes that the promise of the handler's function is settled. */
  onSettled(handler: Handler, logger: KopfLogger): void {
    this.note(handler, logger, false);
  }

  /** The event loop is known to have run in time: what was before is of no interest. */
  reset(): void {
    this.lastSign = this.clock.monotonic();
    this.longest = 0;
    this.call = undefined;
  }

  /** The longest time without any sign of life since the last {@link reset}. */
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
