import { Inject, Injectable } from '@nestjs/common';
import {
  OnCreate,
  OnEvent,
  OnUpdate,
  Timer,
  type ChangeContext,
  type EventContext,
  type TimerContext,
} from 'nestjs-kopf';
import { apply, change, database, DATABASES, type DatabaseSpec, inSteps, part, Parts, parts } from './database.js';
import { type RegressionCase, secret, valuesOf } from './regression.case.js';

/** The volume of a node goes when the node is seen going: one that is gone by then leaves its volume. */
@Injectable()
class VolumeOfGoingNode {
  constructor(@Inject(Parts) protected readonly parts: Parts) {}

  @OnEvent('configmaps.v1', parts('node'))
  async release({ labels, meta }: EventContext) {
    if (meta.deletionTimestamp !== undefined) await this.parts.remove('volume', labels.of!);
  }
}

/** Looks for the node of each volume again and again, as calls for events are not repeated if they fail. */
@Injectable()
class VolumeWithoutNode {
  constructor(@Inject(Parts) protected readonly parts: Parts) {}

  @Timer('configmaps.v1', { ...parts('volume'), interval: 10 })
  async collect({ labels }: TimerContext) {
    const name = labels.of!;
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
  async onConfig({ name, body }: Pick<EventContext, 'name' | 'body'>) {
    const { text = '' } = valuesOf(body);
    const known = this.hashes.get(name);
    this.hashes.set(name, text);
    if (known !== undefined && known !== text) await this.parts.set('restart', 'a', { text });
  }
}

/** Stores the configuration that was seen at itself, and looks at it again and again, as calls for events are not repeated if they fail. */
@Injectable()
class HashInCluster extends HashInMemory {
  @Timer('secrets.v1', { labels: { kind: 'config' }, interval: 10 })
  override async onConfig({ body, annotations, patch }: TimerContext) {
    const { text = '' } = valuesOf(body);
    const { [SEEN]: known } = annotations;
    if (known !== undefined && known !== text) await this.parts.set('restart', 'a', { text });
    if (known !== text) patch.metadata.annotations = { [SEEN]: text };
  }
}

const SEEN = 'regressions.dev/seen';
const DRAIN = { finalizers: ['regressions.dev/drain'] };
const config = secret('config', { text: 'old' }, { kind: 'config' });

/** Bugs of operators that act on a state that lasts a moment. */
export const MISSED: readonly RegressionCase[] = [
  {
    name: 'a volume that is left, as its node was never seen going',
    seenIn: 'instaclustr/cassandra-operator#398',
    pattern: 'unobserved',
    bug: VolumeOfGoingNode,
    fixed: VolumeWithoutNode,
    check: 'final-state',
    faults: [{ kind: 'missed-events', resource: 'configmaps', fromChange: 1, untilChange: 2 }],
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
    fixed: GrowsAndShrinks,
    check: 'final-state',
    faults: [{ kind: 'missed-events', resource: DATABASES, fromChange: 3, untilChange: 5 }],
    options: { workload: inSteps(apply(database({ replicas: 1 })), change({ replicas: 3 }), change({ replicas: 2 })) },
  },
  {
    name: 'a restart that is left out, as the configuration before is forgotten',
    seenIn: 'stakater/Reloader#814',
    pattern: 'unobserved',
    bug: HashInMemory,
    fixed: HashInCluster,
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
