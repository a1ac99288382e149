import { Inject, Injectable } from '@nestjs/common';
import { KopfVault } from '../client/vault/kopf.vault.js';
import type { Clock } from '../common/clock.js';
import { errorText } from '../common/texts.js';
import { KOPF_CLOCK } from '../kopf.tokens.js';
import { KopfOperator } from '../operator/kopf.operator.js';
import { KopfWatcher } from '../watching/kopf.watcher.js';
import type { HealthSettings } from './health.options.js';
import type { PartReport } from './health.report.js';
import { KOPF_HEALTH_SETTINGS } from './health.tokens.js';
import { evaluateLiveness, evaluateSync } from './watcher.health.js';

/** Evaluates the operator itself: its state, its credentials, and its watches. */
@Injectable()
export class OperatorHealth {
  constructor(
    @Inject(KopfOperator) private readonly operator: KopfOperator,
    @Inject(KopfWatcher) private readonly watcher: KopfWatcher,
    @Inject(KopfVault) private readonly vault: KopfVault,
    @Inject(KOPF_CLOCK) private readonly clock: Clock,
    @Inject(KOPF_HEALTH_SETTINGS) private readonly settings: Pick<HealthSettings, 'watchStaleAfter'>,
  ) {}

  /** Tells whether the operator has started and has not stopped. */
  get isWorking(): boolean {
    return this.operator.state === 'running' || this.operator.state === 'paused';
  }

  /** Evaluates the state; an operator that was not started, or was stopped on purpose, is healthy. */
  evaluateState(): PartReport {
    const { state, failure, pauseStatus } = this.operator;
    if (state === 'failed') return { status: 'down', state, message: errorText(failure) };
    if (state === 'paused') return { status: 'degraded', state, reasons: pauseStatus.reasons };
    return { status: 'up', state };
  }

  /** Evaluates the state as {@link evaluateState} does, but only an operator that works is ready. */
  evaluateReadiness(): PartReport {
    const report = this.evaluateState();
    return this.isWorking ? report : { ...report, status: 'down' };
  }

  /** Evaluates whether the watches hear of the API server. */
  evaluateWatches(): PartReport {
    const { state, since } = this.operator;
    const states = state === 'running' ? this.watcher.states : [];
    return evaluateLiveness(states, { now: this.clock.now(), since: since ?? 0, limit: this.settings.watchStaleAfter });
  }

  /** Evaluates whether all objects were listed, and their changes come. */
  evaluateSync(): PartReport {
    return evaluateSync(this.watcher.states, this.operator.state === 'starting');
  }

  evaluateCredentials(): PartReport {
    const { failure } = this.vault;
    return failure ? { status: 'down', message: errorText(failure) } : { status: 'up' };
  }
}
