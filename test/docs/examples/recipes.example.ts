// #region imports
import { Inject, Injectable } from '@nestjs/common';
import {
  ABSENT,
  adopt,
  Daemon,
  KOPF_CLOCK,
  KubeClient,
  OnCreate,
  OnDelete,
  OnEvent,
  OnResume,
  OnUpdate,
  PermanentError,
  PRESENT,
  Timer,
  type ChangeContext,
  type Clock,
  type DaemonContext,
  type EventContext,
  type KubeObject,
} from 'nestjs-kopf';
// #endregion

// #region conditions
export interface Condition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason: string;
  message: string;
  observedGeneration?: number;
  lastTransitionTime: string;
}

/** The conditions with one of them set. Its time changes only if its status does. */
export function withCondition(
  conditions: readonly Condition[] = [],
  condition: Omit<Condition, 'lastTransitionTime'>,
  now: Date,
): Condition[] {
  const before = conditions.find(({ type }) => type === condition.type);
  const isSame = before?.status === condition.status;
  const lastTransitionTime = isSame ? before.lastTransitionTime : `${now.toISOString().slice(0, 19)}Z`;
  return [...conditions.filter(({ type }) => type !== condition.type), { ...condition, lastTransitionTime }];
}

@Injectable()
export class ConditionsOperator {
  constructor(@Inject(KOPF_CLOCK) private readonly clock: Clock) {}

  @OnCreate('disks.example.com')
  @OnUpdate('disks.example.com')
  reconcile({ spec, status, meta, patch }: ChangeContext<{ size?: number }>) {
    const isReady = (spec.size ?? 0) > 0;
    patch.status.observedGeneration = meta.generation;
    patch.status.conditions = withCondition(
      status.conditions,
      {
        type: 'Ready',
        status: isReady ? 'True' : 'False',
        reason: isReady ? 'Sized' : 'NoSize',
        message: isReady ? `The size is ${spec.size}.` : 'The spec has no size.',
        observedGeneration: meta.generation,
      },
      new Date(this.clock.now()),
    );
  }
}
// #endregion

// #region shape
@Injectable()
export class SettingsOperator {
  constructor(private readonly client: KubeClient) {}

  @OnCreate('disks.example.com')
  @OnUpdate('disks.example.com', { field: 'spec.settings' })
  @OnResume('disks.example.com')
  @Timer('disks.example.com', { interval: 300, initialDelay: 300 })
  async keepInShape({ body, spec }: ChangeContext<{ settings?: Record<string, string> }> | DaemonContext) {
    const map = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: `${body.metadata.name}-settings` },
      data: spec.settings ?? {},
    };
    adopt(map, { owner: body as KubeObject });
    await this.client.apply(map as KubeObject, { fieldManager: 'settings-operator', force: true });
  }
}
// #endregion

// #region children
@Injectable()
export class ParentOperator {
  constructor(private readonly client: KubeClient) {}

  @OnEvent('pods.v1', { labels: { parent: PRESENT } })
  async report({ name, namespace, labels, status }: EventContext) {
    const children = { [name]: status.phase ?? 'Unknown' };
    await this.client.patch('disks.example.com', labels.parent, { status: { children } }, { namespace });
  }

  @OnUpdate('disks.example.com', { field: 'status.children' })
  follow({ new: children, logger }: ChangeContext) {
    logger.log(`The children are ${JSON.stringify(children)}.`);
  }
}
// #endregion

// #region external
/** Stands for the client of a service outside of the cluster. */
export abstract class Buckets {
  /** Finds the bucket with the tag. */
  abstract find(tag: string): Promise<{ id: string } | undefined>;
  abstract create(tag: string): Promise<{ id: string }>;
  /** Does nothing if there is no such bucket. */
  abstract delete(id: string): Promise<void>;
}

@Injectable()
export class BucketOperator {
  constructor(private readonly buckets: Buckets) {}

  @OnCreate('disks.example.com', { id: 'bucket' })
  async create({ uid }: ChangeContext) {
    // The process may have been killed after the creation and before the patch: then the bucket is there.
    const { id } = (await this.buckets.find(uid)) ?? (await this.buckets.create(uid));
    return { id };
  }

  @OnDelete('disks.example.com', { id: 'bucket-deletion' })
  async delete({ uid, status }: ChangeContext) {
    const id: string | undefined = status.bucket?.id ?? (await this.buckets.find(uid))?.id;
    if (id) await this.buckets.delete(id);
  }
}
// #endregion

// #region nightly
@Injectable()
export class NightlyOperator {
  constructor(@Inject(KOPF_CLOCK) private readonly clock: Clock) {}

  @Timer('disks.example.com', { interval: 60 })
  cleanAtThree({ status, patch, logger }: DaemonContext) {
    const now = new Date(this.clock.now()).toISOString();
    const [today, time] = now.split('T');
    if (time < '03:00' || status.cleaned === today) return;
    logger.log('Cleaning.');
    patch.status.cleaned = today;
  }
}
// #endregion

// #region migration
@Injectable()
export class MigrationOperator {
  @OnResume('disks.example.com', { field: 'spec.sizeInGb', value: PRESENT })
  @OnCreate('disks.example.com', { field: 'spec.sizeInGb', value: PRESENT })
  @OnUpdate('disks.example.com', { field: 'spec.sizeInGb', value: PRESENT })
  migrate({ body, patch }: ChangeContext) {
    const { sizeInGb } = body.spec as { sizeInGb?: number };
    if (sizeInGb === undefined) return;
    patch.spec.size = `${sizeInGb}Gi`;
    patch.spec.sizeInGb = null;
  }
}
// #endregion

// #region never
@Injectable()
export class OnceOperator {
  @OnUpdate('disks.example.com', { annotations: { 'update-never-again': ABSENT } })
  update({ patch }: ChangeContext) {
    patch.metadata.annotations['update-never-again'] = 'yes';
    throw new PermanentError('Never call it again.');
  }

  @Daemon('disks.example.com', { annotations: { 'monitor-never-again': ABSENT } })
  monitor({ patch }: DaemonContext) {
    patch.metadata.annotations['monitor-never-again'] = 'yes';
  }
}
// #endregion
