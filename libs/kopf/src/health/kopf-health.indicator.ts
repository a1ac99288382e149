import { Inject, Injectable } from '@nestjs/common';
import type { HealthIndicatorResult } from '@nestjs/terminus';
import { KopfAdmission } from '../admission/kopf.admission.js';
import { KopfVault } from '../client/vault/kopf.vault.js';
import type { Clock } from '../common/clock.interface.js';
import { KopfOperator } from '../operator/kopf.operator.js';
import { KopfRegistry } from '../registry/kopf.registry.js';
import { KopfWatcher } from '../watching/kopf.watcher.js';
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
  /** @internal */
  constructor(
    @Inject(KopfOperator) private readonly operator: KopfOperator,
    @Inject(KopfWatcher) private readonly watcher: KopfWatcher,
    @Inject(KopfRegistry) private readonly registry: KopfRegistry,
    @Inject(KopfAdmission) private readonly admission: KopfAdmission,
    @Inject(KopfVault) private readonly vault: KopfVault,
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
    const watchers = evaluateSync(this.watcher.states, this.operator.state === 'starting');
    return this.report(key, {
      operator: this.evaluateReadiness(),
      watchers,
      ...(this.indices.length > 0 && { indices: this.evaluateIndices() }),
      ...(this.hasAdmission && { admission: this.evaluateAdmission() }),
      credentials: this.evaluateCredentials(),
    });
  }

  /** The names of the indices that handlers keep. */
  private get indices(): readonly string[] {
    return this.registry.describe().flatMap(({ kind, id }) => (kind === 'index' ? [id] : []));
  }

  private get hasAdmission(): boolean {
    return this.registry.describe().some(({ kind }) => kind === 'validate' || kind === 'mutate');
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
    return { status: this.isWorking ? 'up' : 'down', names: this.indices };
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
    const watchers = state === 'running' ? this.watcher.states : [];
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
