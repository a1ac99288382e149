// #region imports
import { Injectable } from '@nestjs/common';
import {
  ABSENT,
  adopt,
  conditions,
  Daemon,
  KubeClient,
  OnChild,
  OnCreate,
  OnDelete,
  OnResume,
  OnUpdate,
  PermanentError,
  PRESENT,
  Timer,
  type ChangeContext,
  type ChildContext,
  type DaemonContext,
  type ObjectContext,
  type TimerContext,
} from 'nestjs-kopf';
// #endregion

// #region conditions
@Injectable()
export class ConditionsOperator {
  @OnCreate('disks.example.com')
  @OnUpdate('disks.example.com')
  reconcile(context: ChangeContext<{ size?: number }>) {
    const { size = 0 } = context.spec;
    if (size > 0) conditions(context).ready('Sized', `The size is ${size}.`);
    else conditions(context).stalled('NoSize', 'The spec has no size.');
  }
}
// #endregion

// #region shape
@Injectable()
export class SettingsOperator {
  constructor(private readonly client: KubeClient) {}

  @OnUpdate('disks.example.com', { field: 'spec.settings' })
  @OnChild('disks.example.com', 'configmaps')
  async keepInShape({ body, spec, name }: ObjectContext<{ settings?: Record<string, string> }>) {
    const metadata = { name: `${name}-settings` };
    const map = adopt({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: spec.settings ?? {} });
    await this.client.applySet(body, [map], { fieldManager: 'settings' });
  }
}
// #endregion

// #region children
@Injectable()
export class ParentOperator {
  constructor(private readonly client: KubeClient) {}

  @OnChild('disks.example.com', 'pods')
  async follow({ children, patch, logger }: ChildContext) {
    const phases: Record<string, string> = {};
    for (const { name, namespace } of children) {
      const { status } = await this.client.get('pods', name, { namespace });
      phases[name] = status.phase ?? 'Unknown';
    }
    logger.log(`The children are ${JSON.stringify(phases)}.`);
    patch.status.children = phases;
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
  @Timer('disks.example.com', { cron: '0 3 * * *' })
  cleanAtThree({ started, patch, logger }: TimerContext) {
    logger.log('Cleaning.');
    patch.status.cleaned = started.toISOString();
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
