import { Inject, Injectable, Module, type Type } from '@nestjs/common';
import {
  adopt,
  KOPF_CLOCK,
  KopfModule,
  KubeClient,
  OnCreate,
  OnDelete,
  OnUpdate,
  TemporaryError,
  type ChangeContext,
  type Clock,
  type KopfModuleOptions,
  type KubeObject,
} from 'nestjs-kopf';
import {
  simulate,
  type SimulatedUser,
  type SimulationFault,
  type SimulationOptions,
  type SimulationReport,
} from 'nestjs-kopf-simulation';
import { Outside, secret } from './regressions/regression.case.js';

/** The resource whose patches are rejected. */
export const DISKS = 'disks.example.com';

const ANYTHING = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/** The CRD of disks, whose status is a subresource. */
export const DISK_DEFINITION: KubeObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: DISKS },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'disks', singular: 'disk', kind: 'Disk' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: ANYTHING, status: ANYTHING } } },
      },
    ],
  },
};

/** A disk as the user applies it. */
export function disk(name: string) {
  return { apiVersion: 'example.com/v1', kind: 'Disk', metadata: { name, namespace: 'default' }, spec: { size: 1 } };
}

/** Two disks come and grow, and the first one goes. */
export async function growDisks(kube: SimulatedUser): Promise<void> {
  const disks = [disk('a'), disk('b')];
  for (const each of disks) await kube.apply(each);
  await kube.settled();
  for (const each of disks) await kube.patch(each, { spec: { size: 2 } });
  await kube.settled();
  await kube.delete(disks[0]);
  await kube.settled();
}

/** Creates a part for each disk, of its size, and releases something outside. Each of its calls can be repeated. */
@Injectable()
export class DiskOperator {
  constructor(
    @Inject(KubeClient) protected readonly client: KubeClient,
    @Inject(Outside) protected readonly outside: Outside,
  ) {}

  @OnCreate(DISKS, { retries: 5, backoff: 10 })
  async create({ name, retry }: ChangeContext) {
    await this.outside.set(name, 'held');
    if (retry === 0) throw new TemporaryError('It is too early.', { delay: 30 });
    await this.make(name, 1);
    return { made: name };
  }

  @OnUpdate(DISKS, { field: 'spec.size', retries: 5, backoff: 10 })
  async resize({ name, spec, patch }: ChangeContext<{ size: number }>) {
    await this.make(name, spec.size);
    patch.transform((body) => {
      body.metadata.annotations = { ...body.metadata.annotations, size: String(spec.size) };
    });
    return { size: spec.size };
  }

  @OnDelete(DISKS)
  async release({ name }: ChangeContext) {
    await this.outside.remove(name);
  }

  protected async make(name: string, size: number): Promise<void> {
    const part = adopt(secret(`${name}-part`, { size: String(size) })) as KubeObject;
    await this.client.apply(part, { fieldManager: 'disks', force: true });
  }
}

/** Makes a part by each call, which has no fixed name: what it returns is all that tells of it. */
@Injectable()
export class ForgetfulOperator extends DiskOperator {
  protected override async make(name: string): Promise<void> {
    const { metadata, ...part } = secret('', {});
    await this.client.create(adopt({ ...part, metadata: { ...metadata, name: undefined, generateName: `${name}-` } }));
  }
}

/** Takes a disk for abandoned that is older than an hour: by its own clock, where the API server has written the time of creation. */
@Injectable()
export class AgeingOperator extends DiskOperator {
  constructor(
    @Inject(KubeClient) client: KubeClient,
    @Inject(Outside) outside: Outside,
    @Inject(KOPF_CLOCK) private readonly clock: Clock,
  ) {
    super(client, outside);
  }

  @OnCreate(DISKS)
  override async create(context: ChangeContext) {
    const age = this.clock.now() - Date.parse(String(context.meta.creationTimestamp));
    return age > 3_600_000 ? { made: 'nothing' } : super.create(context);
  }
}

/** The options of simulations of disks. @param override changes the module beside the fakes */
export function disksOptions(override?: SimulationOptions['override']): SimulationOptions {
  return {
    world: { objects: [DISK_DEFINITION] as never },
    workload: growDisks,
    override: (builder, effects) => {
      builder.overrideProvider(Outside).useValue({
        set: (key: string, value: string) => effects.record('set', key, () => void effects.memory.set(key, value)),
        remove: (key: string) => effects.record('remove', key, () => void effects.memory.delete(key)),
      });
      return override?.(builder, effects);
    },
  };
}

/** Runs plans of one fault each. @param given options of the simulation, and those of the module */
export function simulateDisks(
  operator: Type,
  faults: readonly SimulationFault[],
  { kopf, override, ...given }: Partial<SimulationOptions> & { readonly kopf?: KopfModuleOptions } = {},
): Promise<SimulationReport> {
  @Module({ imports: [KopfModule.forRoot(kopf)], providers: [operator, Outside] })
  class DisksModule {}
  return simulate(DisksModule, {
    ...disksOptions(override),
    plans: faults.map((fault) => ({ seed: 1, faults: [fault] })),
    stopAfter: 100,
    ...given,
  });
}
