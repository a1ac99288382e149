import { Inject, Injectable } from '@nestjs/common';
import {
  ApiNotFoundError,
  Index,
  KubeClient,
  OnCreate,
  OnEvent,
  OnField,
  type ChangeContext,
  type EventContext,
  type IndexContext,
} from 'nestjs-kopf';
import { claim, CLAIMS, type RegressionCase, secret } from './regression.case.js';

const USERS = { labels: { uses: 'a' } };
const release = { namespace: 'default' };

/** An index is asked for the users of a disk, which can be behind: then a disk is deleted that is in use. */
@Injectable()
class AskedOfIndex {
  constructor(@Inject(KubeClient) protected readonly kube: KubeClient) {}

  @Index('secrets.v1', USERS)
  users({ name }: IndexContext) {
    return new Map([['a', name]]);
  }

  @OnField('configmaps.v1', { ...CLAIMS, field: 'data.released', new: 'yes' })
  async release({ indices }: ChangeContext) {
    if ((await this.countUsers(indices)) > 0) return;
    await this.kube.delete('secrets.v1', 'disk-a', release);
  }

  protected async countUsers(indices: ChangeContext['indices']): Promise<number> {
    return indices.users.get('a')?.size ?? 0;
  }
}

@Injectable()
class AskedOfServer extends AskedOfIndex {
  protected override async countUsers(): Promise<number> {
    const { items } = await this.kube.list('secrets.v1', { namespace: 'default', labelSelector: 'uses=a' });
    return items.length;
  }
}

/** The parent of a child is looked up in an index, which can be behind: then the child of a new parent is taken for an orphan. */
@Injectable()
class EagerCollector {
  constructor(@Inject(KubeClient) protected readonly kube: KubeClient) {}

  @Index('configmaps.v1', CLAIMS)
  parents({ name }: IndexContext) {
    return new Map([[name, true]]);
  }

  @OnEvent('secrets.v1', { labels: { parent: 'a' } })
  async collect({ name, indices, type }: EventContext) {
    if (type === 'DELETED' || (await this.hasParent(indices))) return;
    await this.kube.delete('secrets.v1', name, release);
  }

  protected async hasParent(indices: EventContext['indices']): Promise<boolean> {
    return indices.parents.has('a');
  }
}

@Injectable()
class CarefulCollector extends EagerCollector {
  protected override async hasParent(): Promise<boolean> {
    try {
      await this.kube.get('configmaps.v1', 'a', release);
      return true;
    } catch (error) {
      if (error instanceof ApiNotFoundError) return false;
      throw error;
    }
  }
}

/** A port is free if the index has it not: two claims get the same one while the index is behind. */
@Injectable()
class PortOfIndex {
  constructor(@Inject(KubeClient) protected readonly kube: KubeClient) {}

  @Index('secrets.v1', { labels: { kind: 'port' } })
  ports({ name, labels }: IndexContext) {
    return new Map([['taken', labels.port ?? name]]);
  }

  @OnCreate('configmaps.v1', CLAIMS)
  async create({ name, indices }: ChangeContext) {
    const taken = new Set(indices.ports.get('taken') ?? []);
    await this.take(name, taken);
  }

  protected async take(name: string, taken: ReadonlySet<unknown>): Promise<void> {
    const port = ['1', '2', '3'].find((each) => !taken.has(each))!;
    await this.kube.apply(secret(`port-of-${name}`, {}, { kind: 'port', port }), {
      fieldManager: 'ports',
      force: true,
    });
  }
}

@Injectable()
class PortByName extends PortOfIndex {
  /** Names are unique: the client that creates the object has the port. */
  protected override async take(name: string): Promise<void> {
    for (const port of ['1', '2', '3']) {
      try {
        await this.kube.create(secret(`port-${port}`, {}, { kind: 'port', port, of: name }));
        return;
      } catch (error) {
        const { metadata } = await this.kube.get('secrets.v1', `port-${port}`, release);
        if (metadata.labels?.of === name) return;
        void error;
      }
    }
  }
}

/** Bugs that need an API server that is behind. */
export const STALE: readonly RegressionCase[] = [
  {
    name: 'a disk that is deleted while it is in use',
    seenIn: 'kubernetes/kubernetes#75980',
    pattern: 'stale',
    bug: AskedOfIndex,
    fixed: AskedOfServer,
    check: 'surplus',
    faults: [{ kind: 'stale', resource: 'secrets', fromChange: 1 }],
    options: {
      world: { objects: [claim, secret('disk-a')] as never },
      workload: async (kube) => {
        await kube.apply(secret('pod', {}, { uses: 'a' }) as never);
        await kube.patch(claim, { data: { released: 'yes' } });
        await kube.settled();
      },
    },
  },
  {
    name: 'the child of a new parent that is taken for an orphan',
    seenIn: 'cilium/cilium#13220, kubernetes-sigs/dra-driver-nvidia-gpu#1453',
    pattern: 'stale',
    bug: EagerCollector,
    fixed: CarefulCollector,
    check: 'surplus',
    faults: [{ kind: 'stale', resource: 'configmaps', fromChange: 1 }],
    options: {
      workload: async (kube) => {
        await kube.apply(claim);
        await kube.apply(secret('child', {}, { parent: 'a' }) as never);
        await kube.settled();
      },
    },
  },
  {
    name: 'a port that two have',
    seenIn: 'kubernetes-sigs/cluster-api-ipam-provider-in-cluster#338',
    pattern: 'stale',
    bug: PortOfIndex,
    fixed: PortByName,
    check: 'always',
    faults: [{ kind: 'stale', resource: 'configmaps', fromChange: 1, untilChange: 6 }],
    options: {
      workload: async (kube) => {
        await kube.apply(claim);
        await kube.settled();
        await kube.apply({ ...claim, metadata: { ...claim.metadata, name: 'b' } });
        await kube.settled();
      },
      // Who comes first has the first port, which may be another one each time.
      oracles: { 'final-state': false, surplus: false },
      always: [
        function portsAreUnique({ list }) {
          const ports = list('Secret').flatMap(({ metadata }) => metadata.labels?.port ?? []);
          return new Set(ports).size === ports.length;
        },
      ],
    },
  },
];
