import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Clock } from 'kube-common';
import { EventLoopLateness } from '../common/event-loop.lateness.js';
import { InjectOwn, KOPF_CLOCK } from '../kopf.tokens.js';
import type { HealthSettings } from './health.options.js';
import { KOPF_HEALTH_SETTINGS } from './health.tokens.js';

/** The interval of checks of the event loop, in milliseconds. */
const BEAT = 500;

/** The measurement of how long the event loop is blocked. */
@Injectable()
export class EventLoopMonitor implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly lateness: EventLoopLateness;
  /** The worst delay that is remembered, in milliseconds, and when it ended. */
  private worst = { lag: 0, at: -Infinity };

  constructor(
    @InjectOwn(KOPF_CLOCK) clock: Clock,
    @Inject(KOPF_HEALTH_SETTINGS) private readonly settings: Pick<HealthSettings, 'eventLoopLagWindow'>,
  ) {
    this.lateness = new EventLoopLateness(clock, BEAT, (lag, now) => this.record(lag, now));
  }

  onApplicationBootstrap(): void {
    this.lateness.start();
  }

  onApplicationShutdown(): void {
    this.lateness.stop();
  }

  /** The longest time for which the event loop was blocked within the window, in seconds. */
  get lag(): number {
    this.lateness.look();
    return Math.round(this.worst.lag) / 1000;
  }

  private record(lag: number, now: number): void {
    const isForgotten = now - this.worst.at > this.settings.eventLoopLagWindow * 1000;
    if (isForgotten || lag >= this.worst.lag) this.worst = { lag, at: now };
  }
}
