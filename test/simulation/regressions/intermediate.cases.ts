import { Inject, Injectable } from '@nestjs/common';
import {
  ApiConflictError,
  ApiNotFoundError,
  KOPF_RANDOM,
  KubeClient,
  OnCreate,
  OnDelete,
  OnUpdate,
  type ChangeContext,
  type KubeObject,
  type Random,
} from 'nestjs-kopf';
import type { SimulatedUser } from 'nestjs-kopf-simulation';
import { claim, CLAIMS, type RegressionCase, Outside, secret, valuesOf } from './regression.case.js';

const FIELD_MANAGER = 'regressions';
const create = async (kube: SimulatedUser): Promise<void> => {
  await kube.apply(claim);
  await kube.settled();
};

/** Each call generates another name for the child, so a repeated call creates a second one. */
@Injectable()
class GeneratedName {
  constructor(@Inject(KubeClient) protected readonly kube: KubeClient) {}

  @OnCreate('configmaps.v1', CLAIMS)
  async create(_context: ChangeContext) {
    const child: KubeObject = { ...secret(''), metadata: { namespace: 'default', generateName: 'disk-' } };
    return { disk: (await this.kube.create(child)).metadata.name };
  }
}

/** The child has no owner: a call for an object that was recreated since would give the child to the deleted object, and the child would be deleted, too. */
@Injectable()
class FixedName extends GeneratedName {
  @OnCreate('configmaps.v1', CLAIMS)
  override async create({ name }: ChangeContext) {
    const child = secret(`disk-${name}`);
    return { disk: (await this.kube.apply(child, { fieldManager: FIELD_MANAGER })).metadata.name };
  }
}

/** The work is noted as done before it is done: after a crash in between, it never is. */
@Injectable()
class NotedBefore {
  constructor(@Inject(KubeClient) protected readonly kube: KubeClient) {}

  @OnCreate('configmaps.v1', CLAIMS)
  async create({ name, body }: ChangeContext) {
    const { size } = (body as unknown as typeof claim).data;
    const child = secret(`disk-${name}`, { size }, { size });
    await this.kube.apply(child, { fieldManager: FIELD_MANAGER, force: true });
  }

  @OnUpdate('configmaps.v1', { ...CLAIMS, field: 'data.size' })
  async resize({ name, body }: ChangeContext) {
    const { size } = (body as unknown as typeof claim).data;
    const child = await this.kube.get('secrets.v1', `disk-${name}`, { namespace: 'default' });
    if (child.metadata.labels?.size !== size) await this.change(child.metadata.name!, size);
  }

  protected async change(name: string, size: string): Promise<void> {
    await this.note(name, size);
    await this.enlarge(name, size);
  }

  protected async note(name: string, size: string): Promise<void> {
    await this.kube.patch('secrets.v1', name, { metadata: { labels: { size } } }, { namespace: 'default' });
  }

  protected async enlarge(name: string, size: string): Promise<void> {
    await this.kube.patch('secrets.v1', name, { stringData: { size } }, { namespace: 'default' });
  }
}

@Injectable()
class NotedAfter extends NotedBefore {
  protected override async change(name: string, size: string): Promise<void> {
    await this.enlarge(name, size);
    await this.note(name, size);
  }
}

/** A password is drawn in each call, but the system outside keeps the first one: after a crash, the stored one is wrong. */
@Injectable()
class DrawnTwice {
  constructor(
    @Inject(KubeClient) protected readonly kube: KubeClient,
    @Inject(Outside) protected readonly outside: Outside,
    @Inject(KOPF_RANDOM) protected readonly random: Random,
  ) {}

  @OnCreate('configmaps.v1', CLAIMS)
  async create({ name }: ChangeContext) {
    const password = this.draw();
    if (this.outside.get(name) === undefined) await this.outside.set(name, password);
    await this.kube.apply(secret(`password-${name}`, { password }), { fieldManager: FIELD_MANAGER, force: true });
  }

  protected draw(): string {
    return String(Math.floor(this.random.next() * 1e9));
  }
}

@Injectable()
class StoredFirst extends DrawnTwice {
  @OnCreate('configmaps.v1', CLAIMS)
  override async create({ name }: ChangeContext) {
    await this.store(name, this.draw());
    const stored = await this.kube.get('secrets.v1', `password-${name}`, { namespace: 'default' });
    await this.outside.set(name, valuesOf(stored).password!);
  }

  /** Creates the secret, unless there is one: a call for an object that is gone may have created it, too. */
  private async store(name: string, password: string): Promise<void> {
    try {
      await this.kube.create(secret(`password-${name}`, { password }));
    } catch (error) {
      if (!(error instanceof ApiConflictError)) throw error;
    }
  }
}

/** A deletion handler that does not find, after a crash, what it has deleted before: the object can never go. */
@Injectable()
class DeletedOnce {
  constructor(@Inject(KubeClient) protected readonly kube: KubeClient) {}

  @OnCreate('configmaps.v1', CLAIMS)
  async create({ name }: ChangeContext) {
    await this.kube.apply(secret(`disk-${name}`), { fieldManager: FIELD_MANAGER });
  }

  @OnDelete('configmaps.v1', CLAIMS)
  async release({ name }: ChangeContext) {
    await this.kube.delete('secrets.v1', `disk-${name}`, { namespace: 'default' });
  }
}

@Injectable()
class DeletedIfThere extends DeletedOnce {
  @OnDelete('configmaps.v1', CLAIMS)
  override async release(context: ChangeContext) {
    try {
      await super.release(context);
    } catch (error) {
      if (!(error instanceof ApiNotFoundError)) throw error;
    }
  }
}

/** Bugs that need a crash between two writes. */
export const INTERMEDIATE: readonly RegressionCase[] = [
  {
    name: 'a second child after a crash, as each call makes up a name',
    seenIn: 'aws-controllers-k8s/community#2062',
    pattern: 'intermediate',
    bug: GeneratedName,
    fixed: FixedName,
    check: 'surplus',
    faults: [{ kind: 'crash', afterWrite: 1 }],
    options: { workload: create },
  },
  {
    name: 'a change that is recorded as done before it is done',
    seenIn: 'VictoriaMetrics/operator#1575',
    pattern: 'intermediate',
    bug: NotedBefore,
    fixed: NotedAfter,
    check: 'final-state',
    faults: [{ kind: 'crash', afterWrite: 3 }],
    options: {
      workload: async (kube) => {
        await create(kube);
        await kube.patch(claim, { data: { size: '2' } });
        await kube.settled();
      },
    },
  },
  {
    name: 'a password that is drawn again after a crash',
    pattern: 'intermediate',
    bug: DrawnTwice,
    fixed: StoredFirst,
    check: 'eventually',
    faults: [{ kind: 'crash', afterWrite: 1 }],
    options: {
      workload: create,
      eventually: [
        function passwordFits({ find, effects }) {
          const stored = find(secret('password-a'));
          return valuesOf(stored).password === effects.memory.get('a');
        },
      ],
    },
  },
  {
    name: 'a deletion that fails permanently, as its child is gone already',
    seenIn: 'streamnative/pulsar-resources-operator#122',
    pattern: 'intermediate',
    bug: DeletedOnce,
    fixed: DeletedIfThere,
    check: 'convergence',
    faults: [{ kind: 'crash', afterWrite: 4 }],
    options: {
      workload: async (kube) => {
        await create(kube);
        await kube.delete(claim);
        await kube.settled();
      },
    },
  },
];
