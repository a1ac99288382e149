import { Inject, Injectable } from '@nestjs/common';
import type { HealthIndicatorResult } from '@nestjs/terminus';
import { Vault } from '../client/vault/vault.js';
import { ReviewDispatcher } from '../admission/review/review.dispatcher.js';
import type { Clock } from '../common/clock.interface.js';
import { WatcherSet } from '../watching/watcher.set.js';
import { HandlerRegistry } from '../registry/handler.registry.js';
import { OperatorLifecycle } from '../operator/operator.lifecycle.js';
import { KOPF_CLOCK } from '../kopf.tokens.js';
import { errorText } from '../common/error-text.js';
import { EventLoopMonitor } from './event-loop.monitor.js';
import type { HealthSettings } from './health.options.js';
import { worstStatus, type PartReport } from './health.report.js';
import { KOPF_HEALTH_SETTINGS } from './health.tokens.js';
import { KopfProbes } from './kopf.probes.js';
import { evaluateLiveness, evaluateSync } from './watcher.health.js';

type Parts = Readonly<Record<string, PartReport>>;

/**
 * Tells Terminus how the operator is: `up`, `degraded` while it works with restrictions or pauses, or `down`; and which of its parts is to blame.
 *
 * @example
 * @Get('healthz')
 * @HealthCheck()
 * check() {
 *   return this.health.check([() => this.kopf.isLive(), () => this.database.pingCheck('database')]);
 * }
 */
@Injectable()
export class KopfHealthIndicator {
  constructor(
    @Inject(OperatorLifecycle) private readonly operator: OperatorLifecycle,
    @Inject(WatcherSet) private readonly watcher: WatcherSet,
    @Inject(HandlerRegistry) private readonly registry: HandlerRegistry,
    @Inject(ReviewDispatcher) private readonly admission: ReviewDispatcher,
    @Inject(Vault) private readonly vault: Vault,
    @Inject(EventLoopMonitor) private readonly eventLoop: EventLoopMonitor,
    @Inject(KopfProbes) private readonly probes: KopfProbes,
    @Inject(KOPF_CLOCK) private readonly clock: Clock,
    @Inject(KOPF_HEALTH_SETTINGS) private readonly settings: HealthSettings,
  ) {}

  /**
   * Reports whether the operator is alive; if not, a restart of its process is worth a try. It is alive if it has not failed,
   * the event loop is not blocked, the watchers hear of the API server, there are credentials, and the probe handlers succeed.
   * An operator that was not started, or stopped on purpose, is alive.
   *
   * @param key the name in the report. @default the option `key`
   */
  async isLive(key: string = this.settings.key): Promise<HealthIndicatorResult> {
    return this.report(key, {
      operator: this.evaluateOperator(),
      eventLoop: this.evaluateEventLoop(),
      watchers: this.evaluateWatchers(),
      credentials: this.evaluateCredentials(),
      ...(this.isWorking && { probes: await this.probes.check() }),
    });
  }

  /**
   * Reports whether the operator is ready: it has started, all objects were listed and indexed, their changes come, and reviews
   * are answered.
   *
   * @param key the name in the report. @default the option `key`
   */
  async isReady(key: string = this.settings.key): Promise<HealthIndicatorResult> {
    const watchers = evaluateSync(this.watcher.status(), this.operator.state === 'starting');
    return this.report(key, {
      operator: this.evaluateReadiness(),
      watchers,
      ...(this.registry.allIndexing().length > 0 && { indices: this.evaluateIndices() }),
      ...(this.registry.allAdmission().length > 0 && { admission: this.evaluateAdmission() }),
      credentials: this.evaluateCredentials(),
    });
  }

  private get isWorking(): boolean {
    return this.operator.state === 'running' || this.operator.state === 'paused';
  }

  private report(key: string, parts: Parts): HealthIndicatorResult {
    return { [key]: { status: worstStatus(Object.values(parts)), ...parts } };
  }

  private evaluateOperator(): PartReport {
    const { state, failure, pauseStatus } = this.operator;
    if (state === 'failed') return { status: 'down', state, message: errorText(failure) };
    if (state === 'paused') return { status: 'degraded', state, reasons: pauseStatus.reasons };
    return { status: 'up', state };
  }

  private evaluateReadiness(): PartReport {
    const report = this.evaluateOperator();
    return this.isWorking ? report : { ...report, status: 'down' };
  }

  private evaluateIndices(): PartReport {
    // The operator is ready only after its indices; while it pauses, they are as they were.
    return { status: this.isWorking ? 'up' : 'down', names: this.registry.allIndexing().map(({ id }) => id) };
  }

  private evaluateAdmission(): PartReport {
    const { isServing, reviewing } = this.admission;
    if (isServing) return { status: 'up', reviewing };
    return { status: 'down', message: 'Reviews are not answered yet, or not any more.' };
  }

  private evaluateEventLoop(): PartReport {
    const { lag } = this.eventLoop;
    if (lag <= this.settings.lagLimit) return { status: 'up', lag };
    return { status: 'down', lag, message: `The event loop was blocked for ${lag} seconds.` };
  }

  private evaluateWatchers(): PartReport {
    const { state, since } = this.operator;
    const watchers = state === 'running' ? this.watcher.status() : [];
    return evaluateLiveness(watchers, {
      now: this.clock.now(),
      since: since ?? 0,
      limit: this.settings.watchStaleAfter,
    });
  }

  private evaluateCredentials(): PartReport {
    const { failure } = this.vault;
    return failure ? { status: 'down', message: errorText(failure) } : { status: 'up' };
  }
}
