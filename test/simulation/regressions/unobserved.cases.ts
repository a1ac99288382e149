import { Inject, Injectable } from '@nestjs/common';
import { KubeClient, OnCreate, OnDelete, OnEvent, OnUpdate, type ChangeContext, type EventContext } from 'nestjs-kopf';
import { claim, CLAIMS, type RegressionCase, Outside, secret, valuesOf } from './regression.case.js';

const PODS = { labels: { kind: 'pod' } };

/** Things outside are released at the event of the deletion: nothing keeps the object until the event was seen. */
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

/** A pod that has failed is counted when it is seen: one that is gone by then is missing in the count. */
@Injectable()
class CountedIfSeen {
  constructor(@Inject(KubeClient) protected readonly kube: KubeClient) {}

  @OnEvent('secrets.v1', PODS)
  async onEvent({ name, body, type }: EventContext) {
    if (type !== 'DELETED') await this.count({ name, body });
  }

  protected async count({ name, body }: Pick<EventContext, 'name' | 'body'>): Promise<void> {
    if (valuesOf(body).phase !== 'failed') return;
    await this.kube.patch('configmaps.v1', 'a', { data: { [name]: 'failed' } }, { namespace: 'default' });
  }
}

/** Keeps each pod by a finalizer until it is counted, as the Job controller of Kubernetes does today. */
@Injectable()
class CountedBeforeGone extends CountedIfSeen {
  override async onEvent() {}

  @OnUpdate('secrets.v1', PODS)
  @OnDelete('secrets.v1', PODS)
  async look(context: ChangeContext) {
    await this.count(context);
  }
}

const pod = secret('pod', { phase: 'running' }, { kind: 'pod' });

/** Bugs that need a state that was never seen. */
export const UNOBSERVED: readonly RegressionCase[] = [
  {
    name: 'a bucket that is left, as the object went while the operator was down',
    seenIn: 'coryodaniel/bonny#72, zalando/postgres-operator#941',
    pattern: 'unobserved',
    bug: ReleasedAtEvent,
    fixed: ReleasedByHandler,
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
    name: 'a failure that is not counted, as its pod was gone before it was seen',
    seenIn: 'kubernetes/kubernetes#28486, kubernetes/enhancements#2308',
    pattern: 'unobserved',
    bug: CountedIfSeen,
    fixed: CountedBeforeGone,
    check: 'final-state',
    faults: [{ kind: 'missed-events', resource: 'secrets', fromChange: 1, untilChange: 2 }],
    options: {
      world: { objects: [claim, pod] as never },
      workload: async (kube) => {
        await kube.patch(pod, { stringData: { phase: 'failed' } });
        await kube.settled();
        await kube.delete(pod);
        await kube.settled();
      },
    },
  },
];
