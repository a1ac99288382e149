import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { KopfVault } from '../client/vault/kopf.vault.js';
import { type Clock, errorText } from 'kube-common';
import { InjectOwn, KOPF_CLOCK } from '../kopf.tokens.js';
import { KopfOperator } from '../operator/kopf.operator.js';
import { describeReason } from '../resources/resource-selector.js';
import { KopfWatcher } from '../watching/kopf.watcher.js';
import type { HealthSettings } from './health.options.js';
import type { PartReport } from './health.report.js';
import { KOPF_HEALTH_SETTINGS } from './health.tokens.js';
import { evaluateLiveness, evaluateSync } from './watcher.health.js';

/** The health of the operator itself: its state, its credentials, and its watches. */
@Injectable()
export class OperatorHealth implements OnModuleDestroy {
  private isClosing = false;

  constructor(
    @InjectOwn(KopfOperator) private readonly operator: KopfOperator,
    @InjectOwn(KopfWatcher) private readonly watcher: KopfWatcher,
    @InjectOwn(KopfVault) private readonly vault: KopfVault,
    @InjectOwn(KOPF_CLOCK) private readonly clock: Clock,
    @Inject(KOPF_HEALTH_SETTINGS)
    private readonly settings: Pick<HealthSettings, 'readyWhenStopped' | 'watchStaleAfter'>,
  ) {}

  onModuleDestroy(): void {
    this.isClosing = true;
  }

  /** Whether the operator has started and has not stopped. */
  get isWorking(): boolean {
    return this.operator.state === 'running' || this.operator.state === 'paused';
  }

  /** Whether the service is ready though its operator does not work, as it is switched off. */
  get isReadyWithoutOperator(): boolean {
    const { state } = this.operator;
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

  /** Evaluates whether the watches hear of the API server. */
  evaluateWatches(): PartReport {
    const { state, since } = this.operator;
    const states = state === 'running' ? this.watcher.states : [];
    const silence = { now: this.clock.now(), since: since ?? 0, limit: this.settings.watchStaleAfter };
    return this.forLiveness(this.addUnserved(evaluateLiveness(states, silence)));
  }

  /** Evaluates whether all objects were listed, and their changes come; and whether the cluster has the resources of all handlers. */
  evaluateSync(): PartReport {
    return this.addUnserved(evaluateSync(this.watcher.states, this.operator.state === 'starting'));
  }

  /** Evaluates whether there are credentials, for the liveness. */
  evaluateLogin(): PartReport {
    return this.forLiveness(this.evaluateCredentials());
  }

  /** Evaluates whether there are credentials, for the readiness. */
  evaluateCredentials(): PartReport {
    const { failure } = this.vault;
    return failure && !this.isReadyWithoutOperator ? { status: 'down', message: errorText(failure) } : { status: 'up' };
  }

  private describeState(): PartReport {
    const { state, failure, nextAttemptAt, pauseStatus, waitingFor } = this.operator;
    if (state === 'failed') {
      const retryAt = nextAttemptAt === undefined ? undefined : new Date(nextAttemptAt).toISOString();
      return { status: 'down', state, message: errorText(failure), ...(retryAt && { retryAt }) };
    }
    if (state === 'paused') return { status: 'degraded', state, reasons: pauseStatus.reasons };
    return { status: 'up', state, ...(waitingFor && { message: waitingFor }) };
  }

  /**
   * Adds the resources of handlers that the cluster does not serve. Neither a restart nor less traffic would help, so they make nothing
   * `down`.
   */
  private addUnserved(report: PartReport): PartReport {
    const unserved = this.watcher.unserved.map((each) => `${each.resource}: ${describeReason(each)}`);
    if (unserved.length === 0) return report;
    return { ...report, status: report.status === 'up' ? 'degraded' : report.status, unserved };
  }

  /** An application that works without its operator must not be restarted because of it. */
  private forLiveness(report: PartReport): PartReport {
    return report.status === 'down' && !this.operator.required ? { ...report, status: 'degraded' } : report;
  }
}
