import { Inject, Injectable } from '@nestjs/common';
import { OnCreate, OnEvent, OnUpdate, type ChangeContext, type EventContext } from 'nestjs-kopf';
import { apply, change, database, DATABASES, type DatabaseSpec, inSteps, part, Parts, parts } from './database.js';
import { type Exhibit, secret, valuesOf } from './exhibit.js';

/** The volume of a node goes when the node is seen going: one that is gone by then leaves its volume. */
@Injectable()
class VolumeOfGoingNode {
  constructor(@Inject(Parts) protected readonly parts: Parts) {}

  @OnEvent('configmaps.v1', parts('node'))
  async release({ labels, meta }: EventContext) {
    if (meta.deletionTimestamp !== undefined) await this.parts.remove('volume', labels.of!);
  }
}

@Injectable()
class VolumeWithoutNode extends VolumeOfGoingNode {
  @OnEvent('configmaps.v1', parts('node'))
  override async release({ labels }: EventContext) {
    await this.collect(labels.of!);
  }

  @OnEvent('configmaps.v1', parts('volume'))
  async onVolume({ labels, type }: EventContext) {
    if (type !== 'DELETED') await this.collect(labels.of!);
  }

  private async collect(name: string): Promise<void> {
    if ((await this.parts.find('node', name)) === undefined) await this.parts.remove('volume', name);
  }
}

/** Nodes are only added: how many there are in the end depends on which wishes were seen. */
@Injectable()
class OnlyGrows {
  constructor(@Inject(Parts) protected readonly parts: Parts) {}

  @OnCreate(DATABASES)
  @OnUpdate(DATABASES, { field: 'spec.replicas' })
  async scale({ name, spec }: ChangeContext<DatabaseSpec>) {
    const { replicas = '0' } = (await this.parts.find('set', name)) ?? {};
    if (this.isAllowed(Number(replicas), spec.replicas!)) {
      await this.parts.set('set', name, { replicas: String(spec.replicas) });
    }
  }

  protected isAllowed(before: number, wanted: number): boolean {
    return wanted > before;
  }
}

@Injectable()
class GrowsAndShrinks extends OnlyGrows {
  protected override isAllowed(): boolean {
    return true;
  }
}

/** A configuration is compared with the one that this process has seen before: a process that was not there takes the new one for old. */
@Injectable()
class HashInMemory {
  private readonly hashes = new Map<string, string>();

  constructor(@Inject(Parts) protected readonly parts: Parts) {}

  @OnCreate(DATABASES)
  async create({ name }: ChangeContext) {
    await this.parts.set('set', name, {});
  }

  @OnEvent('secrets.v1', { labels: { kind: 'config' } })
  async onConfig({ name, body }: EventContext) {
    const { text = '' } = valuesOf(body);
    const known = await this.known(name);
    await this.remember(name, text);
    if (known !== undefined && known !== text) await this.parts.set('restart', 'a', { text });
  }

  protected async known(name: string): Promise<string | undefined> {
    return this.hashes.get(name);
  }

  protected async remember(name: string, text: string): Promise<void> {
    this.hashes.set(name, text);
  }
}

@Injectable()
class HashInCluster extends HashInMemory {
  @OnEvent('secrets.v1', { labels: { kind: 'config' } })
  override async onConfig({ name, body }: EventContext) {
    const { text = '' } = valuesOf(body);
    const known = await this.known(name);
    if (known !== undefined && known !== text) await this.parts.set('restart', 'a', { text });
    await this.remember(name, text);
  }

  protected override async known(name: string): Promise<string | undefined> {
    return (await this.parts.find('hash', name))?.text;
  }

  protected override async remember(name: string, text: string): Promise<void> {
    await this.parts.set('hash', name, { text });
  }
}

const DRAIN = { finalizers: ['museum.dev/drain'] };
const config = secret('config', { text: 'old' }, { kind: 'config' });

/** Bugs of operators that act on a state that lasts a moment. */
export const MISSED: readonly Exhibit[] = [
  {
    name: 'a volume that is left, as its node was never seen going',
    seenIn: 'instaclustr/cassandra-operator#398',
    pattern: 'unobserved',
    bug: VolumeOfGoingNode,
    mended: VolumeWithoutNode,
    check: 'final-state',
    faults: [{ kind: 'skip', resource: 'configmaps', fromChange: 1, untilChange: 2 }],
    options: {
      world: { objects: [part('node', 'a', {}, DRAIN), part('volume', 'a')] as never },
      workload: inSteps(
        (kube) => kube.delete(part('node', 'a')),
        (kube) => kube.patch(part('node', 'a'), { metadata: { finalizers: null } }),
      ),
    },
  },
  {
    name: 'a peak that decides on the number of nodes, if it is seen',
    seenIn: 'rabbitmq/cluster-operator#758, yugabyte/yugabyte-operator#39',
    pattern: 'unobserved',
    bug: OnlyGrows,
    mended: GrowsAndShrinks,
    check: 'final-state',
    faults: [{ kind: 'skip', resource: DATABASES, fromChange: 3, untilChange: 5 }],
    options: { workload: inSteps(apply(database({ replicas: 1 })), change({ replicas: 3 }), change({ replicas: 2 })) },
  },
  {
    name: 'a restart that is left out, as the configuration before is forgotten',
    seenIn: 'stakater/Reloader#814',
    pattern: 'unobserved',
    bug: HashInMemory,
    mended: HashInCluster,
    check: 'final-state',
    faults: [{ kind: 'crash', afterWrite: 1 }],
    options: {
      world: { objects: [config] as never },
      workload: inSteps(async (kube) => {
        await kube.apply(database());
        await kube.patch(config, { stringData: { text: 'new' } });
      }),
    },
  },
];
