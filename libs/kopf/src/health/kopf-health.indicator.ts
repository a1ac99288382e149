import { Inject, Injectable } from '@nestjs/common';
import { HealthIndicatorService, type HealthIndicatorResult, type HealthIndicatorStatus } from '@nestjs/terminus';
import { EventLoopMonitor } from './event-loop.monitor.js';
import { HandlerHealth } from './handler.health.js';
import type { HealthSettings } from './health.options.js';
import { worstStatus, type PartReport } from './health.report.js';
import { KOPF_HEALTH_SETTINGS } from './health.tokens.js';
import { KopfProbes } from './kopf.probes.js';
import { OperatorHealth } from './operator.health.js';

type Parts = Readonly<Record<string, PartReport>>;

/** The members of Terminus that create results. Terminus 11 does not know degraded services: they are up, with a part that is degraded. */
type Session = Partial<Record<HealthIndicatorStatus, (details: Parts) => HealthIndicatorResult>>;

/**
 * Terminus's health indicator of the operator: `up`; `degraded` while it works with restrictions, or pauses; or `down`. The report contains
 * the part that is the reason.
 *
 * @example
 * @Get('healthz')
 * @HealthCheck() check() {
 * return this.health.check([() => this.kopf.isLive(), () => this.database.pingCheck('database')]); }
 */
@Injectable()
export class KopfHealthIndicator {
  /** @internal */
  constructor(
    @Inject(HealthIndicatorService) private readonly health: HealthIndicatorService,
    @Inject(OperatorHealth) private readonly operator: OperatorHealth,
    @Inject(HandlerHealth) private readonly handlers: HandlerHealth,
    @Inject(EventLoopMonitor) private readonly eventLoop: EventLoopMonitor,
    @Inject(KopfProbes) private readonly probes: KopfProbes,
    @Inject(KOPF_HEALTH_SETTINGS) private readonly settings: HealthSettings,
  ) {}

  /**
   * Reports whether the operator is alive; if not, a restart of its process is worth a try. It is alive if it has not failed,
   * the event loop is not blocked, the watches have contact with the API server, there are credentials, and the probe handlers succeed.
   * An operator that was not started, or stopped on purpose, is alive. One that is not `required` is `degraded` at worst, as a
   * restart would end what works without it; a blocked event loop and probe handlers count nevertheless.
   *
   * @param key the name in the report. @default the option `key`
   */
  async isLive(key: string = this.settings.key): Promise<HealthIndicatorResult> {
    const { operator } = this;
    return this.report(key, {
      operator: operator.evaluateState(),
      eventLoop: this.evaluateEventLoop(),
      watchers: operator.evaluateWatches(),
      credentials: operator.evaluateLogin(),
      ...(operator.isWorking && { probes: await this.probes.check() }),
    });
  }

  /**
   * Reports whether the operator is ready: it has started, all objects were listed and indexed, their changes come, and reviews
   * are answered.
   *
   * @param key the name in the report. @default the option `key`
   */
  async isReady(key: string = this.settings.key): Promise<HealthIndicatorResult> {
    const { operator } = this;
    return this.report(key, {
      operator: operator.evaluateReadiness(),
      watchers: operator.evaluateSync(),
      ...(!operator.isReadyWithoutOperator && this.handlers.evaluate(operator.isWorking)),
      credentials: operator.evaluateCredentials(),
    });
  }

  private report(key: string, parts: Parts): HealthIndicatorResult {
    const session: Session = this.health.check(key);
    const status = worstStatus(Object.values(parts));
    if (session[status]) return session[status](parts);
    // Terminus leaves entries with an unknown status out of its answer.
    return { [key]: { status: 'up', ...parts } };
  }

  private evaluateEventLoop(): PartReport {
    const { lag } = this.eventLoop;
    if (lag <= this.settings.maxEventLoopLag) return { status: 'up', lag };
    return { status: 'down', lag, message: `The event loop was blocked for ${lag} seconds.` };
  }
}
