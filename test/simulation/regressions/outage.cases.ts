import { Inject, Injectable } from '@nestjs/common';
import {
  KubeClient,
  OnCreate,
  OnDelete,
  OnStartup,
  OnUpdate,
  PermanentError,
  type ChangeContext,
  type KubeObject,
} from 'nestjs-kopf';
import { apply, change, database, DATABASES, type DatabaseSpec, inSteps, Parts } from './database.js';
import type { RegressionCase } from './regression.case.js';

type Context = ChangeContext<DatabaseSpec>;

/** A section that can be left out is read as if it were there. */
@Injectable()
class SectionExpected {
  constructor(@Inject(Parts) protected readonly parts: Parts) {}

  @OnCreate(DATABASES)
  @OnUpdate(DATABASES, { field: 'spec.proxy' })
  async reconcile({ name, spec }: Context) {
    await this.parts.set('proxy', name, { replicas: String(this.replicasOf(spec)) });
  }

  protected replicasOf({ proxy }: DatabaseSpec): number {
    return proxy!.replicas;
  }
}

@Injectable()
class SectionOptional extends SectionExpected {
  protected override replicasOf({ proxy }: DatabaseSpec): number {
    return proxy?.replicas ?? 0;
  }
}

/** All objects are read at the start: one without an image keeps the operator from starting at all. */
@Injectable()
class AllAtStart {
  constructor(
    @Inject(KubeClient) protected readonly kube: KubeClient,
    @Inject(Parts) protected readonly parts: Parts,
  ) {}

  @OnStartup()
  async read() {
    const { items } = await this.kube.list<KubeObject<DatabaseSpec>>(DATABASES);
    for (const { spec } of items) this.versionOf(spec!);
  }

  @OnCreate(DATABASES)
  async create({ name }: Context) {
    await this.parts.set('set', name, {});
  }

  protected versionOf({ image }: DatabaseSpec): string {
    return image!.split(':')[1]!;
  }
}

@Injectable()
class AllThatCanBeRead extends AllAtStart {
  protected override versionOf({ image = 'db:1' }: DatabaseSpec): string {
    return image.split(':')[1]!;
  }
}

/** A version that cannot be understood fails every handler, that of the deletion included. */
@Injectable()
class VersionMustParse {
  constructor(@Inject(Parts) protected readonly parts: Parts) {}

  @OnCreate(DATABASES)
  @OnUpdate(DATABASES, { field: 'spec.image' })
  async reconcile({ name, spec }: Context) {
    await this.parts.set('set', name, { version: String(this.versionOf(spec)) });
  }

  @OnDelete(DATABASES)
  async release({ name, spec }: Context) {
    if (this.versionOf(spec) > 1) await this.parts.remove('backup', name);
    await this.parts.remove('set', name);
  }

  protected versionOf({ image = 'db:1' }: DatabaseSpec): number {
    const version = Number(image.split(':')[1]);
    if (Number.isNaN(version)) throw new Error(`malformed version: ${image}`);
    return version;
  }
}

@Injectable()
class VersionOrNewest extends VersionMustParse {
  protected override versionOf({ image = 'db:1' }: DatabaseSpec): number {
    const version = Number(image.split(':')[1]);
    return Number.isNaN(version) ? Infinity : version;
  }
}

/** All fields are sent with each change, also those that can never be changed: the API server rejects them all. */
@Injectable()
class ImmutableFields {
  constructor(@Inject(KubeClient) protected readonly kube: KubeClient) {}

  @OnCreate(DATABASES)
  @OnUpdate(DATABASES, { field: 'spec.config' })
  async reconcile({ name, spec }: Context) {
    const metadata = { name: this.nameOf(name, spec), namespace: 'default', labels: { of: name } };
    const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata, immutable: true, data: { config: spec.config! } };
    await this.kube.apply(config as KubeObject, { fieldManager: 'regressions', force: true });
  }

  protected nameOf(name: string, _spec: DatabaseSpec): string {
    return `config-${name}`;
  }
}

@Injectable()
class ImmutableObjects extends ImmutableFields {
  @OnCreate(DATABASES)
  @OnUpdate(DATABASES, { field: 'spec.config' })
  override async reconcile(context: Context) {
    await super.reconcile(context);
    await this.removeOthers(context.name);
  }

  protected override nameOf(name: string, { config }: DatabaseSpec): string {
    return `config-${name}-${config}`;
  }

  /** Configurations of before would stay otherwise, if they were seen. The object may be another one by now, with other wishes. */
  private async removeOthers(name: string): Promise<void> {
    const { items: found } = await this.kube.list('configmaps.v1', {
      namespace: 'default',
      labelSelector: `of=${name}`,
    });
    const fieldSelector = `metadata.name=${name}`;
    const { items: wishes } = await this.kube.list(DATABASES, { namespace: 'default', fieldSelector });
    for (const { spec } of wishes as readonly { readonly spec: DatabaseSpec }[]) {
      const current = this.nameOf(name, spec);
      const others = found.filter(({ metadata }) => metadata.name !== current);
      for (const { metadata } of others) {
        await this.kube.delete('configmaps.v1', metadata.name!, { namespace: 'default' });
      }
    }
  }
}

/** A size that is not given is read as 0, which volumes cannot shrink to: no change is made any more. */
@Injectable()
class AbsentIsZero {
  constructor(@Inject(Parts) protected readonly parts: Parts) {}

  @OnCreate(DATABASES)
  @OnUpdate(DATABASES, { field: 'spec' })
  async reconcile({ name, spec }: Context) {
    const { size = '0' } = (await this.parts.find('volume', name)) ?? {};
    const wanted = this.sizeOf(spec, Number(size));
    if (wanted < Number(size)) throw new Error('shrinking is not supported');
    await this.parts.set('volume', name, { size: String(wanted) });
    await this.parts.set('set', name, { replicas: String(spec.replicas) });
  }

  protected sizeOf({ storage = 0 }: DatabaseSpec, _current: number): number {
    return storage;
  }
}

@Injectable()
class AbsentIsUnchanged extends AbsentIsZero {
  protected override sizeOf({ storage }: DatabaseSpec, current: number): number {
    return storage ?? (current || 1);
  }
}

const UNITS = { Ti: 2 ** 40, Gi: 2 ** 30, Mi: 2 ** 20, Ki: 2 ** 10 } as const;

type Unit = keyof typeof UNITS;

/** Reads the size of a disk. */
function amountOf(quantity: string): number {
  const [, digits, unit] = /^(\d+)([TGMK]i)$/.exec(quantity) ?? [];
  if (!Number(digits)) throw new PermanentError(`No disk can have the size '${quantity}'.`);
  return Number(digits) * UNITS[unit as Unit];
}

/** Writes the size of a disk as the API server does: in the largest unit of which there is a whole number. */
function quantityOf(amount: number): string {
  const unit = (Object.keys(UNITS) as Unit[]).find((each) => amount % UNITS[each] === 0)!;
  return `${amount / UNITS[unit]}${unit}`;
}

/** A disk is enlarged until its size is the text that is wished, which it never is if that is in another unit: no change is made any more. */
@Injectable()
class SizesAsTexts {
  constructor(@Inject(Parts) protected readonly parts: Parts) {}

  @OnCreate(DATABASES)
  async create({ name, spec: { disk = '1Gi' } }: Pick<Context, 'name' | 'spec'>) {
    await this.parts.set('disk', name, { size: quantityOf(amountOf(disk)) });
  }

  @OnUpdate(DATABASES, { field: 'spec.disk' })
  async resize({ name, spec }: Context) {
    await this.create({ name, spec });
    const { size = '' } = (await this.parts.find('disk', name)) ?? {};
    if (!this.isSame(size, spec.disk ?? '1Gi')) throw new Error('the disk still has another size');
  }

  protected isSame(size: string, wished: string): boolean {
    return size === wished;
  }
}

@Injectable()
class SizesAsAmounts extends SizesAsTexts {
  protected override isSame(size: string, wished: string): boolean {
    return amountOf(size) === amountOf(wished);
  }
}

/** Bugs by which a valid change ends the work of the operator, for this object or for all. */
export const OUTAGES: readonly RegressionCase[] = [
  {
    name: 'a section that may be left out, but is read',
    seenIn: 'percona/percona-postgresql-operator#699, akyriako/typesense-operator#30',
    pattern: 'outage',
    bug: SectionExpected,
    fixed: SectionOptional,
    check: 'convergence',
    faults: [],
    options: { workload: inSteps(apply(database({ proxy: { replicas: 1 } })), change({ proxy: null })) },
  },
  {
    name: 'an object that keeps the operator from starting again',
    seenIn: 'OT-CONTAINER-KIT/redis-operator#155',
    pattern: 'outage',
    bug: AllAtStart,
    fixed: AllThatCanBeRead,
    check: 'convergence',
    faults: [{ kind: 'crash', afterWrite: 1 }],
    options: { workload: inSteps(apply(database())) },
  },
  {
    name: 'a version that fails every handler',
    seenIn: 'percona/percona-xtradb-cluster-operator, in xlab-uiuc/acto#138',
    pattern: 'outage',
    bug: VersionMustParse,
    fixed: VersionOrNewest,
    check: 'convergence',
    faults: [],
    options: {
      workload: inSteps(
        apply(database({ image: 'db:1' })),
        (kube) => kube.patch(database(), { spec: { image: 'db:latest' } }),
        (kube) => kube.delete(database()),
      ),
    },
  },
  {
    name: 'a field that can never be changed, but is sent',
    seenIn: 'cockroachdb/cockroach-operator#197, noobaa/noobaa-operator#52',
    pattern: 'outage',
    bug: ImmutableFields,
    fixed: ImmutableObjects,
    check: 'convergence',
    faults: [],
    options: { workload: inSteps(apply(database({ config: 'old' })), change({ config: 'new' })) },
  },
  {
    name: 'a size that is not given, and read as nothing',
    seenIn: 'rabbitmq/cluster-operator#2023',
    pattern: 'outage',
    bug: AbsentIsZero,
    fixed: AbsentIsUnchanged,
    check: 'convergence',
    faults: [],
    options: {
      // A size that is not given stays as it is: it depends on which wishes were seen.
      ignore: ['ConfigMap default/volume-a .data.size'],
      workload: inSteps(apply(database({ storage: 10, replicas: 1 })), (kube) =>
        kube.patch(database(), { spec: { storage: null, replicas: 3 } }),
      ),
    },
  },
  {
    name: 'a size in another unit that a disk never comes to have',
    seenIn: 'opensearch-project/opensearch-k8s-operator#441, elastic/cloud-on-k8s#2856',
    pattern: 'outage',
    bug: SizesAsTexts,
    fixed: SizesAsAmounts,
    check: 'convergence',
    faults: [],
    states: [database({ disk: '2Gi', replicas: 1 }), database({ disk: '2048Mi', replicas: 1 })],
    options: { changes: { object: database({ disk: '2Gi', replicas: 1 }), fields: ['spec.disk'], runs: 400 } },
  },
];
