import type { Subscription } from 'rxjs';
import type { BackgroundEngine } from '../background/background.engine.js';
import { detach } from 'kube-common';
import type { Pauses } from '../coordination/pausing/pauses.js';
import type { KopfLogger } from '../common/kopf.logger.js';
import type { WatcherSet } from '../watching/watcher.set.js';

/** The switch of the watches, the daemons, and the timers: they are off while the operator pauses, and on while it works. */
export class PauseSwitch {
  private subscription?: Subscription;
  private isPaused = false;
  private isSwitching = false;
  private switching?: Promise<void>;

  constructor(
    private readonly pauses: Pauses,
    private readonly watcher: WatcherSet,
    private readonly background: BackgroundEngine,
    private readonly logger: KopfLogger,
  ) {}

  /** Observes the pauses. @param signal when aborted, watches, daemons, and timers are left as they are */
  start(signal: AbortSignal): void {
    this.subscription = this.pauses.paused$.subscribe(() => {
      // Detached, as watches, daemons, and timers must not run in the asynchronous context of the code that pauses or resumes the operator.
      if (!this.isSwitching) this.switching = detach(() => this.catchUp(signal));
    });
  }

  /** Waits until no pause or resumption is in progress. To be called after the signal was aborted. */
  async stop(): Promise<void> {
    this.subscription?.unsubscribe();
    await this.switching;
  }

  private async catchUp(signal: AbortSignal): Promise<void> {
    this.isSwitching = true;
    try {
      while (!signal.aborted && this.isPaused !== this.pauses.status.paused) await this.toggle();
    } finally {
      this.isSwitching = false;
    }
  }

  private async toggle(): Promise<void> {
    this.isPaused = !this.isPaused;
    if (this.isPaused) {
      this.logger.log(`The operator pauses. ${this.pauses.status.reasons.join(' ')}`);
      await Promise.all([this.watcher.pause(), this.background.pause()]);
    } else {
      this.logger.log('The operator works again.');
      this.background.resume();
      this.watcher.resume();
    }
  }
}
