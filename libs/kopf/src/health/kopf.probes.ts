import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { ActivityRunner } from '../activities/activity.runner.js';
import { Probe } from '../activities/probe.js';
import { ActivityKind } from '../registry/handler.js';
import type { Clock } from 'kube-common';
import type { KopfLogger } from '../common/kopf.logger.js';
import { HandlerRegistry } from '../registry/handler.registry.js';
import { InjectOwn, KOPF_CLOCK, KOPF_LOGGER } from '../kopf.tokens.js';
import { worstStatus, type PartReport } from './health.report.js';
import type { HealthSettings } from './health.options.js';
import { KOPF_HEALTH_SETTINGS } from './health.tokens.js';

/** The caller of the application's `@OnProbe` handlers: all at once, and each for a limited time. */
@Injectable()
export class KopfProbes implements OnApplicationShutdown {
  private readonly closing = new AbortController();
  private probes?: readonly Probe[];

  constructor(
    @InjectOwn(HandlerRegistry) private readonly registry: HandlerRegistry,
    @InjectOwn(ActivityRunner) private readonly runner: ActivityRunner,
    @InjectOwn(KOPF_CLOCK) private readonly clock: Clock,
    @InjectOwn(KOPF_LOGGER) private readonly logger: KopfLogger,
    @Inject(KOPF_HEALTH_SETTINGS) private readonly settings: HealthSettings,
  ) {}

  onApplicationShutdown(): void {
    this.closing.abort();
  }

  /** Calls the probe handlers, and reports their results by their ids; never rejects. */
  async check(): Promise<PartReport> {
    // All handlers are known as soon as the application has started.
    this.probes ??= this.createProbes();
    const reports = await Promise.all(this.probes.map(async (probe) => [probe.id, await this.ask(probe)] as const));
    return { status: worstStatus(reports.map(([, report]) => report)), handlers: Object.fromEntries(reports) };
  }

  private async ask(probe: Probe): Promise<PartReport> {
    const { result, error } = await probe.check();
    return error ? { status: 'down', message: error.message || error.name } : { status: 'up', result };
  }

  private createProbes(): readonly Probe[] {
    const { probeCacheTtl: lifetime, probeTimeout: timeout } = this.settings;
    return this.registry
      .activitiesOf(ActivityKind.PROBE)
      .map(
        (handler) =>
          new Probe(handler, this.runner, this.clock, this.logger, { lifetime, timeout }, this.closing.signal),
      );
  }
}
