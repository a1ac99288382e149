import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from 'kube-common';
import { OperatorReader } from '../inspection/operator/operator.reader.js';
import type { OperatorStatus } from '../inspection/operator.readings.js';
import { InjectOwn, KOPF_CLOCK } from '../kopf.tokens.js';
import { EventLoopDelay } from './event-loop.delay.js';
import type { MetricContext, MetricGroup } from './metric.group.js';

const STATES: readonly OperatorStatus['state'][] = [
  'idle',
  'starting',
  'running',
  'paused',
  'stopping',
  'stopped',
  'failed',
];

/** The metrics of the operator itself: its state, whether it leads, its credentials, and its event loop. */
@Injectable()
export class OperatorMetrics implements MetricGroup {
  private delay?: EventLoopDelay;

  constructor(
    @Inject(OperatorReader) private readonly readings: OperatorReader,
    @InjectOwn(KOPF_CLOCK) private readonly clock: Clock,
  ) {}

  start({ families }: MetricContext): void {
    families.gauge('kopf_operator_state', 'The state of the operator: 1 for that in which it is.', ['state'], (set) => {
      const present = this.readings.status().state;
      for (const state of STATES) set({ state }, Number(present === state));
    });
    families.gauge('kopf_operator_paused', '1 while the operator pauses, for whatever reason.', [], (set) =>
      set({}, Number(this.readings.status().paused.length > 0)),
    );
    families.gauge(
      'leader_election_master_status',
      '1 while this operator may work: it holds the Lease, or is the first of its peers.',
      ['name'],
      (set) => {
        const { name, isHeld } = this.readings.status().leadership;
        set({ name }, Number(isHeld));
      },
    );
    families.gauge(
      'kopf_peers',
      'Operators that were seen in peering objects, this one included.',
      ['peering'],
      (set) => {
        for (const { name, operators } of this.readings.peerings()) set({ peering: name }, operators);
      },
    );
    families.gauge('kopf_credentials_failing', '1 while the API server accepts no credentials.', [], (set) =>
      set({}, Number(this.readings.status().credentialsFailure !== undefined)),
    );
    const delay = new EventLoopDelay(this.clock);
    this.delay = delay;
    families.gauge(
      'kopf_event_loop_delay_seconds',
      'The longest time for which the event loop was blocked within the last minute.',
      [],
      (set) => set({}, delay.longest),
    );
    delay.start();
  }

  stop(): void {
    this.delay?.stop();
  }
}
