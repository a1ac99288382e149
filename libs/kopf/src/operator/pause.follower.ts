import type { Subscription } from 'rxjs';
import type { BackgroundEngine } from '../background/background.engine.js';
import { detach } from 'kube-common';
import type { Pauses } from '../coordination/pausing/pauses.js';
import type { KopfLogger } from '../common/kopf.logger.js';
import type { WatcherSet } from '../watching/watcher.set.js';

/** The subscriber to pauses that stops the watching, the daemons, and the timers as long as the operator pauses. */
export class PauseFollower {
  private subscription?: Subscription;
  private isPaused = false;
  private isFollowing = false;
  private following?: Promise<void>;

  constructor(
    private readonly pauses: Pauses,
    private readonly watcher: WatcherSet,
    private readonly background: BackgroundEngine,
    private readonly logger: KopfLogger,
  ) {}

  /** @param signal leaves everything as it is when it is aborted. */
  start(signal: AbortSignal): void {
    this.subscription = this.pauses.paused$.subscribe(() => {
      // Whoever pauses or resumes the operator: watches, daemons, and timers do not belong to it.
      if (!this.isFollowing) this.following = detach(() => this.follow(signal));
    });
  }

  /** To be called when the signal was aborted; resolves when nothing is being paused or resumed. */
  async stop(): Promise<void> {
    this.subscription?.unsubscribe();
    await this.following;
  }

  private async follow(signal: AbortSignal): Promise<void> {
    this.isFollowing = true;
    try {
      while (!signal.aborted && this.isPaused !== this.pauses.status.paused) await this.adjust();
    } finally {
      this.isFollowing = false;
    }
  }

  private async adjust(): Promise<void> {
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
