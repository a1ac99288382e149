import { Injectable } from '@nestjs/common';
import { IndexRegistry } from '../indexing/index.registry.js';
import { OperatorLifecycle } from '../operator/operator.lifecycle.js';
import type { BackgroundHandler } from '../registry/handler.js';
import { HandlerRegistry } from '../registry/handler.registry.js';
import type { MetricContext, MetricGroup } from './metric.group.js';
import { InjectOwn } from '../kopf.tokens.js';

/** The metrics of what the operator keeps and runs for objects: by numbers, never by objects. */
@Injectable()
export class ObjectMetrics implements MetricGroup {
  constructor(
    @InjectOwn(OperatorLifecycle) private readonly lifecycle: OperatorLifecycle,
    @InjectOwn(HandlerRegistry) private readonly registry: HandlerRegistry,
    @InjectOwn(IndexRegistry) private readonly indices: IndexRegistry,
  ) {}

  start(context: MetricContext): void {
    this.readObjects(context);
    this.readBackground(context, 'daemon');
    this.readBackground(context, 'timer');
    context.families.gauge('kopf_index_keys', 'Keys that the indices have.', ['index'], (set) => {
      for (const index of this.indices.names) set({ index }, this.indices.get(index).size);
    });
  }

  private readObjects({ families }: MetricContext): void {
    families.gauge('kopf_objects', 'Objects that the operator has seen and that still exist.', [], (set) =>
      set({}, this.lifecycle.objects),
    );
    families.gauge(
      'kopf_own_writes_unseen',
      'Objects whose watch has not shown yet what the operator has written.',
      [],
      (set) => set({}, this.lifecycle.engine?.inventory.count().unseen ?? 0),
    );
    families.gauge(
      'kopf_objects_throttled',
      'Objects that are left alone for a while after unexpected errors.',
      [],
      (set) => set({}, this.lifecycle.engine?.inventory.count().throttled ?? 0),
    );
  }

  private readBackground({ families }: MetricContext, kind: BackgroundHandler['kind']): void {
    const help = kind === 'daemon' ? 'Daemons that run.' : 'Timers that run or wait for their time.';
    families.gauge(`kopf_${kind}s`, help, ['handler', 'state'], (set) => {
      for (const handler of this.registry.allSpawning()) {
        if (handler.kind !== kind) continue;
        const counts = { running: 0, stopping: 0 };
        for (const run of this.lifecycle.engine?.background.all ?? []) {
          if (run.handler.id === handler.id) counts[run.isStopping ? 'stopping' : 'running'] += 1;
        }
        for (const [state, count] of Object.entries(counts)) set({ handler: handler.id, state }, count);
      }
    });
  }
}
