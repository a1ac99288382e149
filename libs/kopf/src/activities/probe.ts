import type { Clock } from 'kube-common';
import { type KopfLogger, LevelFilteredLogger } from '../common/kopf.logger.js';
import type { ActivityHandler } from '../registry/handler.js';
import type { ActivityRunner } from './activity.runner.js';

/** The last result or error of a probe handler. */
export interface ProbeReport {
  readonly result?: unknown;
  readonly error?: Error;
}

/** The time limits of probes, in seconds. */
export interface ProbeLimits {
  /** How long a report is used before the handler is called again. */
  readonly lifetime: number;
  /** How long the probe waits for a call of a handler without a timeout. */
  readonly timeout: number;
}

/**
 * One probe handler. It is called once for all concurrent requests, and not again while its report is fresh or its last call is still
 * running, which can be long after its timeout.
 */
export class Probe {
  private report?: { readonly value: ProbeReport; readonly until: number };
  private asking?: Promise<ProbeReport>;
  private isRunning = false;

  constructor(
    private readonly handler: ActivityHandler,
    private readonly runner: ActivityRunner,
    private readonly clock: Clock,
    private readonly logger: KopfLogger,
    private readonly limits: ProbeLimits,
    private readonly signal: AbortSignal,
  ) {}

  get id(): string {
    return this.handler.id;
  }

  /** Returns the report, a new one if the last one is too old; never rejects. */
  async check(): Promise<ProbeReport> {
    const { report } = this;
    if (report && (this.clock.monotonic() < report.until || this.isRunning)) return report.value;
    this.asking ??= this.ask().finally(() => (this.asking = undefined));
    return this.asking;
  }

  private async ask(): Promise<ProbeReport> {
    const value = await this.execute();
    this.report = { value, until: this.clock.monotonic() + this.limits.lifetime * 1000 };
    return value;
  }

  private async execute(): Promise<ProbeReport> {
    // The failure of a probe is logged once, until it succeeds.
    const logger = this.report?.value.error ? new LevelFilteredLogger(this.logger) : this.logger;
    const { results, failures } = await this.runner.execute({
      handlers: [{ ...this.handler, timeout: this.handler.timeout ?? this.limits.timeout }],
      signal: this.signal,
      errors: 'permanent',
      results: 'json',
      logger,
      around: (call) => this.track(call),
    });
    const [error] = failures.values();
    return error ? { error } : { result: results.values().next().value };
  }

  /** Records that the handler is running, until it ends. */
  private async track(call: () => unknown): Promise<unknown> {
    this.isRunning = true;
    try {
      return await call();
    } finally {
      this.isRunning = false;
    }
  }
}
