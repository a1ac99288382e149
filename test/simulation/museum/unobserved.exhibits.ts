import { Inject, Injectable } from '@nestjs/common';
import {
  KubeClient,
  OnCreate,
  OnDelete,
  OnEvent,
  Timer,
  type ChangeContext,
  type EventContext,
  type TimerContext,
} from 'nestjs-kopf';
import { claim, CLAIMS, type Exhibit, Outside, secret, valuesOf } from './exhibit.js';

/** Things outside are released at the event of the deletion: nobody holds the object until that was seen. */
@Injectable()
class ReleasedAtEvent {
  constructor(@Inject(Outside) protected readonly outside: Outside) {}

  @OnCreate('configmaps.v1', CLAIMS)
  create({ name }: ChangeContext) {
    return this.outside.set(name, 'bucket');
  }

  @OnEvent('configmaps.v1', CLAIMS)
  async onEvent({ name, type }: EventContext) {
    if (type === 'DELETED') await this.outside.remove(name);
  }
}

@Injectable()
class ReleasedByHandler {
  constructor(@Inject(Outside) protected readonly outside: Outside) {}

  @OnCreate('configmaps.v1', CLAIMS)
  create({ name }: ChangeContext) {
    return this.outside.set(name, 'bucket');
  }

  @OnDelete('configmaps.v1', CLAIMS)
  async release({ name }: ChangeContext) {
    await this.outside.remove(name);
  }
}

/** A state is acted on when it is seen, but it can be over before: a failure that was mended meanwhile is not counted. */
@Injectable()
class CountedEdges {
  constructor(@Inject(KubeClient) protected readonly kube: KubeClient) {}

  @OnEvent('secrets.v1', { labels: { kind: 'job' } })
  async onEvent({ body, type }: EventContext) {
    const { phase = '' } = valuesOf(body);
    if (type === 'DELETED' || phase !== 'failed') return;
    await this.kube.patch('configmaps.v1', 'a', { data: { alarm: 'yes' } }, { namespace: 'default' });
  }
}

/** Looks at the count again and again, as calls for events are not repeated if they fail. */
@Injectable()
class CountedLevels {
  constructor(@Inject(KubeClient) protected readonly kube: KubeClient) {}

  @Timer('secrets.v1', { labels: { kind: 'job' }, interval: 10 })
  async look({ body }: TimerContext) {
    const { failures = '0' } = valuesOf(body);
    if (failures === '0') return;
    await this.kube.patch('configmaps.v1', 'a', { data: { alarm: 'yes' } }, { namespace: 'default' });
  }
}

const job = secret('job', { phase: 'running', failures: '0' }, { kind: 'job' });

/** Bugs that need a state that was never seen. */
export const UNOBSERVED: readonly Exhibit[] = [
  {
    name: 'a bucket that is left, as the object went while the operator was down',
    pattern: 'unobserved',
    bug: ReleasedAtEvent,
    mended: ReleasedByHandler,
    check: 'eventually',
    faults: [{ kind: 'crash', afterWrite: 1 }],
    options: {
      workload: async (kube) => {
        await kube.apply(claim);
        await kube.delete(claim);
        await kube.settled();
      },
      eventually: [
        function noBucketIsLeft({ find, effects }) {
          return find(claim) !== undefined || effects.memory.get('a') === undefined;
        },
      ],
    },
  },
  {
    name: 'a failure that was over before it was seen',
    pattern: 'unobserved',
    bug: CountedEdges,
    mended: CountedLevels,
    check: 'final-state',
    faults: [{ kind: 'skip', resource: 'secrets', fromChange: 1, untilChange: 2 }],
    options: {
      world: { objects: [claim, job] as never },
      workload: async (kube) => {
        await kube.patch(job, { stringData: { phase: 'failed', failures: '1' } });
        await kube.settled();
        await kube.patch(job, { stringData: { phase: 'running' } });
        await kube.settled();
      },
    },
  },
];
