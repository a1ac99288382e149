import { Inject, Injectable } from '@nestjs/common';
import { OperatorReader } from '../inspection/operator/operator.reader.js';
import type { BackgroundReading } from '../inspection/operator.readings.js';
import type { MetricContext, MetricGroup } from './metric.group.js';

/** The metrics of the objects in the memory of the operator, and of its daemons and timers. Names of objects are never labels. */
@Injectable()
export class ObjectMetrics implements MetricGroup {
  constructor(@Inject(OperatorReader) private readonly readings: OperatorReader) {}

  start(context: MetricContext): void {
    this.readObjects(context);
    this.readBackground(context, 'daemon');
    this.readBackground(context, 'timer');
    context.families.gauge('kopf_index_keys', 'Keys that the indices have.', ['index'], (set) => {
      for (const { id: index, keys } of this.readings.indices()) set({ index }, keys);
    });
  }

  private readObjects({ families }: MetricContext): void {
    families.gauge('kopf_objects', 'Objects that the operator has seen and that still exist.', [], (set) =>
      set({}, this.readings.status().objects),
    );
    families.gauge(
      'kopf_own_writes_unseen',
      'Objects whose watch has not shown yet what the operator has written.',
      [],
      (set) => set({}, this.readings.objects().unseen),
    );
    families.gauge(
      'kopf_objects_throttled',
      'Objects that are left alone for a while after unexpected errors.',
      [],
      (set) => set({}, this.readings.objects().throttled),
    );
  }

  private readBackground({ families }: MetricContext, kind: BackgroundReading['kind']): void {
    const help = kind === 'daemon' ? 'Daemons that run.' : 'Timers that run or wait for their time.';
    families.gauge(`kopf_${kind}s`, help, ['handler', 'state'], (set) => {
      for (const { handler, running, stopping } of this.readings.background().filter((one) => one.kind === kind)) {
        set({ handler, state: 'running' }, running);
        set({ handler, state: 'stopping' }, stopping);
      }
    });
  }
}
