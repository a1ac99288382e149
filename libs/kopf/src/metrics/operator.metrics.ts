import { Injectable } from '@nestjs/common';
import { KopfVault } from '../client/vault/kopf.vault.js';
import type { Clock } from 'kube-common';
import { KopfPeering } from '../coordination/peering/kopf.peering.js';
import type { KopfModuleOptions } from '../kopf.options.js';
import { InjectOwn, KOPF_CLOCK, KOPF_OPTIONS } from '../kopf.tokens.js';
import { OperatorLifecycle } from '../operator/operator.lifecycle.js';
import type { OperatorState } from '../operator/operator.state.js';
import { KopfSettings } from '../settings/kopf.settings.js';
import { EventLoopDelay } from './event-loop.delay.js';
import type { MetricContext, MetricGroup } from './metric.group.js';

const STATES: readonly OperatorState[] = ['idle', 'starting', 'running', 'paused', 'stopping', 'stopped', 'failed'];

/** The metrics of the operator itself: its state, whether it leads, its credentials, and its event loop. */
@Injectable()
export class OperatorMetrics implements MetricGroup {
  /** There can be credentials in them, which must not be seen when this is printed. */
  readonly #options: KopfModuleOptions;

  constructor(
    @InjectOwn(KOPF_OPTIONS) options: KopfModuleOptions,
    @InjectOwn(KopfSettings) private readonly settings: KopfSettings,
    @InjectOwn(OperatorLifecycle) private readonly lifecycle: OperatorLifecycle,
    @InjectOwn(KopfPeering) private readonly peering: KopfPeering,
    @InjectOwn(KopfVault) private readonly vault: KopfVault,
    @InjectOwn(KOPF_CLOCK) private readonly clock: Clock,
  ) {
    this.#options = options;
  }

  start({ families, subscriptions }: MetricContext): void {
    families.gauge('kopf_operator_state', 'The state of the operator: 1 for that in which it is.', ['state'], (set) => {
      for (const state of STATES) set({ state }, Number(this.lifecycle.state === state));
    });
    families.gauge('kopf_operator_paused', '1 while the operator pauses, for whatever reason.', [], (set) =>
      set({}, Number(this.lifecycle.pauseStatus.paused)),
    );
    families.gauge(
      'leader_election_master_status',
      '1 while this operator may work: it holds the Lease, or is the first of its peers.',
      ['name'],
      (set) => set({ name: this.coordinationName }, Number(this.lifecycle.engine?.leadership.isValid ?? false)),
    );
    families.gauge(
      'kopf_peers',
      'Operators that were seen in peering objects, this one included.',
      ['peering'],
      (set) => {
        const names = new Set([this.settings.peering.name, ...this.peering.status.map(({ name }) => name)]);
        for (const peering of names) set({ peering }, this.countPeers(peering));
      },
    );
    families.gauge('kopf_credentials_failing', '1 while the API server accepts no credentials.', [], (set) =>
      set({}, Number(this.vault.failure !== undefined)),
    );
    const delay = new EventLoopDelay(this.clock);
    subscriptions.onClose(() => delay.stop());
    families.gauge(
      'kopf_event_loop_delay_seconds',
      'The longest time for which the event loop was blocked within the last minute.',
      [],
      (set) => set({}, delay.longest),
    );
    delay.start();
  }

  private get coordinationName(): string {
    const { settings } = this;
    return this.#options.coordination === 'lease' ? settings.lease.name : settings.peering.name;
  }

  private countPeers(peering: string): number {
    const peers = this.peering.status.filter(({ name }) => name === peering).flatMap((status) => status.peers);
    return new Set(peers.map(({ identity }) => identity)).size;
  }
}
