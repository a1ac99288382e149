// #region imports
import { Injectable, Module } from '@nestjs/common';
import {
  adjustNamespace,
  adopt,
  appendOwnerReference,
  conditions,
  harmonizeNaming,
  KopfModule,
  KubeClient,
  label,
  OnChild,
  OnCreate,
  OnDelete,
  OnUpdate,
  PRESENT,
  removeOwnerReference,
  type ChangeContext,
  type ChildContext,
  type KubeObject,
  type ObjectContext,
} from 'nestjs-kopf';
// #endregion

// #region adopt
@Injectable()
export class AdoptingOperator {
  constructor(private readonly client: KubeClient) {}

  @OnCreate('disks.example.com')
  async create({ spec }: ChangeContext<{ image: string }>) {
    const container = { name: 'main', image: spec.image };
    const job = {
      apiVersion: 'batch/v1',
      kind: 'Job',
      spec: { template: { spec: { containers: [container], restartPolicy: 'Never' } } },
    };
    const created: KubeObject = await this.client.create(adopt(job, { nested: 'spec.template' }));
    return { job: created.metadata.name };
  }
}
// #endregion

// #region parts
export function prepare(owner: KubeObject, children: KubeObject[]): void {
  label(children, { app: 'web' }, { forced: true, nested: ['spec.template'] });
  harmonizeNaming(children, 'web', { strict: true });
  adjustNamespace(children, 'team-a', { forced: true });
  appendOwnerReference(children, { owner, controller: false, blockOwnerDeletion: false });
}

export function release(owner: KubeObject, children: KubeObject[]): void {
  removeOwnerReference(children, { owner });
}
// #endregion

// #region set
interface SnapshotsSpec {
  readonly snapshots?: Readonly<Record<string, string>>;
}

@Injectable()
export class SnapshotsOperator {
  constructor(private readonly client: KubeClient) {}

  @OnUpdate('disks.example.com')
  async changed(context: ObjectContext<SnapshotsSpec>) {
    await this.apply(context);
  }

  @OnChild('disks.example.com', 'configmaps')
  async drifted(context: ChildContext<SnapshotsSpec>) {
    await this.apply(context);
  }

  private async apply({ body, spec, name, logger }: ObjectContext<SnapshotsSpec>): Promise<void> {
    const maps = Object.entries(spec.snapshots ?? {}).map(([time, text]) =>
      adopt({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `${name}-${time}` }, data: { text } }),
    );
    const { pruned } = await this.client.applySet(body, maps, { fieldManager: 'snapshots' });
    for (const { metadata } of pruned) logger.log(`${metadata.name} is not wanted any more.`);
  }
}
// #endregion

// #region parent
@Injectable()
export class ConfigurationOperator {
  constructor(private readonly client: KubeClient) {}

  @OnChild('disks.example.com', 'configmaps')
  async summarize(context: ChildContext<{ parts?: number }>) {
    const { children, spec, patch } = context;
    let keys = 0;
    for (const { name, namespace } of children) {
      const { data } = await this.client.get<KubeObject & { data?: object }>('configmaps', name, { namespace });
      keys += Object.keys(data ?? {}).length;
    }
    patch.status.keys = keys;
    if (children.length === (spec.parts ?? 0)) conditions(context).ready();
    else conditions(context).reconciling('Incomplete', `There are ${children.length} of ${spec.parts} parts.`);
  }
}
// #endregion

// #region child
@Injectable()
export class PartOperator {
  @OnUpdate('configmaps', { ownedBy: 'disks.example.com', field: 'data.key', new: PRESENT })
  changed({ name, parent, logger }: ChangeContext) {
    logger.log(`${name} of ${parent?.metadata.name} has another key; ${parent?.spec.parts} parts are wanted.`);
  }

  @OnDelete('configmaps', { ownedBy: { resource: 'disks.example.com', fresh: true }, optional: true })
  gone({ name, parent, logger }: ChangeContext) {
    logger.log(parent ? `${name} of ${parent.metadata.name} goes.` : `${name} goes with its parent.`);
  }
}
// #endregion

// #region own
@Module({
  imports: [KopfModule.forRoot({ patching: { mode: 'apply', fieldManager: 'snapshots', force: false } })],
  providers: [SnapshotsOperator],
})
export class SnapshotsModule {}
// #endregion
