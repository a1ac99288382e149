import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Clock, ClockTimer } from '../common/clock.js';
import { KOPF_CLOCK } from '../kopf.tokens.js';
import type { HealthSettings } from './health.options.js';
import { KOPF_HEALTH_SETTINGS } from './health.tokens.js';

/** Sets how often the event loop is checked, in milliseconds. */
const BEAT = 500;

/** Measures for how long the event loop is blocked, by the lateness of a timer. */
@Injectable()
export class EventLoopMonitor implements OnApplicationBootstrap, OnApplicationShutdown {
  private expectedAt = Infinity;
  private timer?: ClockTimer;
  /** The worst delay that is remembered, in milliseconds, and when it ended. */
  private worst = { lag: 0, at: -Infinity };

  constructor(
    @Inject(KOPF_CLOCK) private readonly clock: Clock,
    @Inject(KOPF_HEALTH_SETTINGS) private readonly settings: Pick<HealthSettings, 'eventLoopLagWindow'>,
  ) {}

  onApplicationBootstrap(): void {
    this.arm();
  }

  onApplicationShutdown(): void {
    this.timer?.cancel();
    this.expectedAt = Infinity;
  }

  /** Tells for how many seconds the event loop was blocked at worst within the window. */
  get lag(): number {
    // A request can have its turn before the late timer.
    this.note();
    return Math.round(this.worst.lag) / 1000;
  }

  private arm(): void {
    this.expectedAt = this.clock.monotonic() + BEAT;
    this.timer = this.clock.setTimer(() => {
      this.note();
      this.arm();
    }, BEAT);
  }

  private note(): void {
    const now = this.clock.monotonic();
    const lag = Math.max(0, now - this.expectedAt);
    const isForgotten = now - this.worst.at > this.settings.eventLoopLagWindow * 1000;
    if (isForgotten || lag >= this.worst.lag) this.worst = { lag, at: now };
  }
}
