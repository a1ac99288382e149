import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Clock } from 'kube-common';
import { OperatorReader } from '../inspection/operator/operator.reader.js';
import { InjectOwn, KOPF_CLOCK } from '../kopf.tokens.js';
import { describeReason } from '../resources/resource-selector.js';
import type { HealthSettings } from './health.options.js';
import type { PartReport } from './health.report.js';
import { KOPF_HEALTH_SETTINGS } from './health.tokens.js';
import { evaluateLiveness, evaluateSync } from './watcher.health.js';

/** The health of the operator itself: its state, its credentials, and its watches. */
@Injectable()
export class OperatorHealth implements OnModuleDestroy {
  private isClosing = false;

  constructor(
    @Inject(OperatorReader) private readonly readings: OperatorReader,
    @InjectOwn(KOPF_CLOCK) private readonly clock: Clock,
    @Inject(KOPF_HEALTH_SETTINGS)
    private readonly settings: Pick<HealthSettings, 'readyWhenStopped' | 'watchStaleAfter'>,
  ) {}

  onModuleDestroy(): void {
    this.isClosing = true;
  }

  /** Whether the operator has started and has not stopped. */
  get isWorking(): boolean {
    const { state } = this.readings.status();
    return state === 'running' || state === 'paused';
  }

  /** Whether the service is ready though its operator does not work, as it is switched off. */
  get isReadyWithoutOperator(): boolean {
    const { state } = this.readings.status();
    return this.settings.readyWhenStopped && !this.isClosing && (state === 'idle' || state === 'stopped');
  }

  /** Evaluates the state; an operator that was not started, or was stopped on purpose, is healthy. */
  evaluateState(): PartReport {
    return this.forLiveness(this.describeState());
  }

  /** Evaluates the state as {@link evaluateState} does, but only an operator that works is ready. */
  evaluateReadiness(): PartReport {
    const report = this.describeState();
    return this.isWorking || this.isReadyWithoutOperator ? report : { ...report, status: 'down' };
  }

  /** Evaluates whether the watches have contact with the API server. */
  evaluateWatches(): PartReport {
    const { state, since } = this.readings.status();
    const watches = state === 'running' ? this.readings.watches() : [];
    const silence = { now: this.clock.now(), since: since ?? 0, limit: this.settings.watchStaleAfter };
    return this.forLiveness(this.addUnserved(evaluateLiveness(watches, silence)));
  }

  /**
   * Evaluates whether the watches have listed all objects and receive their changes, and whether the cluster serves the resources of all
   * handlers.
   */
  evaluateSync(): PartReport {
    return this.addUnserved(evaluateSync(this.readings.watches(), this.readings.status().state === 'starting'));
  }

  /** Evaluates whether there are credentials, for the liveness. */
  evaluateLogin(): PartReport {
    return this.forLiveness(this.evaluateCredentials());
  }

  /** Evaluates whether there are credentials, for the readiness. */
  evaluateCredentials(): PartReport {
    const { credentialsFailure: message } = this.readings.status();
    return message !== undefined && !this.isReadyWithoutOperator ? { status: 'down', message } : { status: 'up' };
  }

  private describeState(): PartReport {
    const { state, failure: message, nextAttemptAt, paused, waitingFor } = this.readings.status();
    if (state === 'failed') {
      const retryAt = nextAttemptAt === undefined ? undefined : new Date(nextAttemptAt).toISOString();
      return { status: 'down', state, message, ...(retryAt && { retryAt }) };
    }
    if (state === 'paused') return { status: 'degraded', state, reasons: paused };
    return { status: 'up', state, ...(waitingFor && { message: waitingFor }) };
  }

  /**
   * Adds the resources of handlers that the cluster does not serve. Neither a restart nor less traffic would help, so they make nothing
   * `down`.
   */
  private addUnserved(report: PartReport): PartReport {
    const unserved = this.readings.status().unserved.map((each) => `${each.resource}: ${describeReason(each)}`);
    if (unserved.length === 0) return report;
    return { ...report, status: report.status === 'up' ? 'degraded' : report.status, unserved };
  }

  /**
   * Makes a part that is down degraded if the application works without its operator, so that it is not restarted because of the operator.
   */
  private forLiveness(report: PartReport): PartReport {
    return report.status === 'down' && !this.readings.status().required ? { ...report, status: 'degraded' } : report;
  }
}
