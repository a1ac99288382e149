import { Inject, Injectable } from '@nestjs/common';
import {
  adopt,
  Index,
  KubeClient,
  OnCreate,
  OnEvent,
  OnUpdate,
  type ChangeContext,
  type EventContext,
  type IndexContext,
  type KubeObject,
} from 'nestjs-kopf';
import {
  apply,
  atOnce,
  change,
  database,
  DATABASES,
  type DatabaseSpec,
  inSteps,
  part,
  Parts,
  parts,
} from './database.js';
import type { RegressionCase } from './regression.case.js';

type Indices = ChangeContext['indices'];

/** A volume goes with its database, which is known by its name: the volume of its namesake goes, too, while the deletion is still seen. */
@Injectable()
class OwnerByName {
  constructor(@Inject(Parts) protected readonly parts: Parts) {}

  @Index(DATABASES)
  databases({ name, uid, meta }: IndexContext) {
    return new Map([[name, { uid, isGoing: meta.deletionTimestamp !== undefined }]]);
  }

  @OnEvent('configmaps.v1', parts('volume'))
  async collect({ labels, indices, type }: EventContext) {
    const [owner] = (indices.databases.get(labels.of!) ?? []) as Iterable<{ uid: string; isGoing: boolean }>;
    if (type === 'DELETED' || !owner?.isGoing || !this.isOwner(owner.uid, labels)) return;
    await this.parts.remove('volume', labels.of!);
  }

  protected isOwner(_uid: string, _labels: Readonly<Record<string, string>>): boolean {
    return true;
  }
}

@Injectable()
class OwnerByUid extends OwnerByName {
  protected override isOwner(uid: string, labels: Readonly<Record<string, string>>): boolean {
    return labels.uid === uid;
  }
}

/** A budget that differs from an index is created again, though only the index is stale. */
@Injectable()
class BudgetOfIndex {
  constructor(@Inject(Parts) protected readonly parts: Parts) {}

  @Index(DATABASES)
  databases({ name, spec }: IndexContext<DatabaseSpec>) {
    return new Map([[name, spec.replicas]]);
  }

  @OnCreate(DATABASES)
  @OnUpdate(DATABASES, { field: 'spec.replicas' })
  async reconcile({ name, spec }: ChangeContext<DatabaseSpec>) {
    await this.parts.set('budget', name, { minimum: String(spec.replicas) });
  }

  @OnEvent('configmaps.v1', parts('budget'))
  async correct({ labels, body, indices, type }: EventContext) {
    const name = labels.of!;
    const minimum = String(await this.replicasOf(name, indices));
    if (type === 'DELETED' || (body.data as Record<string, string>).minimum === minimum) return;
    await this.replace(name, minimum);
  }

  protected async replace(name: string, minimum: string): Promise<void> {
    await this.parts.remove('budget', name);
    await this.parts.set('budget', name, { minimum });
  }

  protected async replicasOf(name: string, indices: Indices): Promise<number> {
    const [replicas] = (indices.databases.get(name) ?? []) as Iterable<number>;
    return replicas ?? 0;
  }
}

@Injectable()
class BudgetOfServer extends BudgetOfIndex {
  protected override async replace(name: string, minimum: string): Promise<void> {
    await this.parts.set('budget', name, { minimum });
  }

  protected override async replicasOf(name: string): Promise<number> {
    return (await this.parts.database(name)).spec!.replicas!;
  }
}

/** A volume of another size than the index tells of is given this size: while the index is behind, a volume that was just enlarged shrinks. */
@Injectable()
class AnyOtherSize {
  constructor(@Inject(Parts) protected readonly parts: Parts) {}

  @Index(DATABASES)
  databases({ name, spec }: IndexContext<DatabaseSpec>) {
    return new Map([[name, spec.storage]]);
  }

  @OnEvent('configmaps.v1', parts('volume'))
  async resize({ labels, body, indices, type }: EventContext) {
    const name = labels.of!;
    const size = Number((body.data as Record<string, string>).size);
    const [wanted] = (indices.databases.get(name) ?? []) as Iterable<number>;
    if (type !== 'DELETED' && wanted !== undefined) await this.correct(name, size, wanted);
  }

  @OnUpdate(DATABASES, { field: 'spec.storage' })
  async expand({ name, spec }: ChangeContext<DatabaseSpec>) {
    await this.parts.set('volume', name, { size: String(spec.storage) });
  }

  protected async correct(name: string, size: number, wanted: number): Promise<void> {
    if (size === wanted) return;
    await this.parts.remove('set', name);
    await this.parts.set('volume', name, { size: String(wanted) });
    await this.parts.set('set', name, {});
  }
}

@Injectable()
class OnlyLarger extends AnyOtherSize {
  protected override async correct(name: string, size: number, wanted: number): Promise<void> {
    if (size < wanted) await this.parts.set('volume', name, { size: String(wanted) });
  }
}

/** Nodes are created until an index has as many as wanted: while it is behind, they are created again. */
@Injectable()
class CountedByIndex {
  constructor(
    @Inject(KubeClient) protected readonly kube: KubeClient,
    @Inject(Parts) protected readonly parts: Parts,
  ) {}

  @Index('configmaps.v1', parts('node'))
  nodes({ name, meta }: IndexContext) {
    return new Map((meta.ownerReferences ?? []).map((owner) => [owner.uid, name]));
  }

  @OnCreate(DATABASES)
  @OnUpdate(DATABASES, { field: 'spec.replicas' })
  async scale(context: ChangeContext<DatabaseSpec>) {
    for (let count = await this.count(context); count < context.spec.replicas!; count++) {
      const { name: _, ...metadata } = part('node', 'a').metadata;
      const node = { ...part('node', 'a'), metadata: { ...metadata, generateName: 'node-' } };
      await this.kube.create(adopt(node as KubeObject));
    }
  }

  protected async count({ indices, uid }: ChangeContext<DatabaseSpec>): Promise<number> {
    return indices.nodes.get(uid!)?.size ?? 0;
  }
}

@Injectable()
class CountedByServer extends CountedByIndex {
  @OnCreate(DATABASES)
  @OnUpdate(DATABASES, { field: 'spec.replicas' })
  override async scale(context: ChangeContext<DatabaseSpec>) {
    // The object may be gone, and another one of its name looked after.
    const { items } = await this.kube.list(DATABASES, { namespace: 'default' });
    if (items.some(({ metadata }) => metadata.uid === context.uid)) await super.scale(context);
  }

  protected override async count({ uid }: ChangeContext<DatabaseSpec>): Promise<number> {
    // The nodes of the object that had the name before are there until the garbage collector comes to them.
    return this.parts.countOf(uid!, 'node');
  }
}

const BACKUP = 'regressions.dev/backup';

/** Bugs of operators that act on what they remember, while other clients act on newer states. */
export const OUTDATED: readonly RegressionCase[] = [
  {
    name: 'a volume that goes with the namesake of its database',
    seenIn: 'instaclustr/cassandra-operator#402, pravega/zookeeper-operator#312',
    pattern: 'stale',
    bug: OwnerByName,
    fixed: OwnerByUid,
    check: 'surplus',
    faults: [{ kind: 'stale', resource: DATABASES, fromChange: 3, untilChange: 6 }],
    options: {
      workload: inSteps(
        apply(database({}, { finalizers: [BACKUP] })),
        (kube) => kube.delete(database()),
        (kube) => kube.patch(database(), { metadata: { finalizers: null } }),
        async (kube) => {
          const { metadata } = await kube.apply(database());
          await kube.apply(part('volume', 'a', {}, { labels: { uid: metadata.uid! } }));
        },
      ),
    },
  },
  {
    name: 'a budget that is created again, as the known desired state is stale',
    seenIn: 'Orange-OpenSource/casskop#321, yugabyte/yugabyte-operator#35',
    pattern: 'stale',
    bug: BudgetOfIndex,
    fixed: BudgetOfServer,
    check: 'surplus',
    faults: [{ kind: 'stale', resource: DATABASES, fromChange: 4 }],
    options: {
      workload: inSteps(
        apply(database({ replicas: 1 })),
        atOnce(change({ replicas: 2 }), apply(part('budget', 'a', { minimum: '2' }))),
      ),
    },
  },
  {
    name: 'a set that is deleted to shrink a volume',
    seenIn: 'rabbitmq/cluster-operator#653',
    pattern: 'stale',
    bug: AnyOtherSize,
    fixed: OnlyLarger,
    check: 'surplus',
    faults: [{ kind: 'stale', resource: DATABASES, fromChange: 3 }],
    options: {
      world: { objects: [part('set', 'a'), part('volume', 'a', { size: '10' })] as never },
      workload: inSteps(
        apply(database({ storage: 10 })),
        atOnce(change({ storage: 15 }), apply(part('volume', 'a', { size: '15' }))),
      ),
    },
  },
  {
    name: 'nodes that are created twice, as they are not seen yet',
    seenIn: 'tektoncd/pipeline#4361',
    pattern: 'stale',
    bug: CountedByIndex,
    fixed: CountedByServer,
    check: 'surplus',
    faults: [{ kind: 'stale', resource: 'configmaps', fromChange: 2, untilChange: 6 }],
    options: { workload: inSteps(apply(database({ replicas: 1 })), change({ replicas: 2 })) },
  },
];
