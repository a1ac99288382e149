import type { Clock } from 'kube-common';
import { type KopfLogger, LevelFilteredLogger } from '../common/kopf.logger.js';
import type { ActivityHandler } from '../registry/handler.js';
import type { ActivityRunner } from './activity.runner.js';

/** Holds the last answer of a probe handler. */
export interface ProbeReport {
  readonly result?: unknown;
  readonly error?: Error;
}

/** Limits the answers of probes, in seconds. */
export interface ProbeLimits {
  /** Limits for how long a report is used before the handler is called again. */
  readonly lifetime: number;
  /** Limits how long a call is waited for where the handler has no timeout. */
  readonly timeout: number;
}

/**
 * One probe handler. However many ask at the same time, it is called once, and not again as long as its report is fresh
 * or its last call goes on, which can be long after its time was over.
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

  /** The report, a new one if the last one is too old; never rejects. */
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
    // A probe that goes on failing has said so.
    const logger = this.report?.value.error ? new LevelFilteredLogger(this.logger) : this.logger;
    const { results, failures } = await this.runner.execute({
      handlers: [{ ...this.handler, timeout: this.handler.timeout ?? this.limits.timeout }],
      signal: this.signal,
      errors: 'permanent',
      results: 'json',
      logger,
      around: (call) => this.note(call),
    });
    const [error] = failures.values();
    return error ? { error } : { result: results.values().next().value };
  }

  /** Takes note that the handler runs, as long as it does. */
  private async note(call: () => unknown): Promise<unknown> {
    this.isRunning = true;
    try {
      return await call();
    } finally {
      this.isRunning = false;
    }
  }
}
