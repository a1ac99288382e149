import { Inject, Injectable } from '@nestjs/common';
import { OnCreate, OnUpdate, type ChangeContext } from 'nestjs-kopf';
import { apply, change, database, DATABASES, type DatabaseSpec, inSteps, Parts } from './database.js';
import type { RegressionCase } from './regression.case.js';

type Context = ChangeContext<DatabaseSpec>;

/** A volume is enlarged if the set of nodes has another size, but the set is deleted first: after a crash, there is nothing to compare. */
@Injectable()
class SizeOfSet {
  constructor(@Inject(Parts) protected readonly parts: Parts) {}

  @OnCreate(DATABASES)
  async create({ name, spec }: Context) {
    await this.parts.set('volume', name, { size: String(spec.storage) });
    await this.parts.set('set', name, { size: String(spec.storage) });
  }

  @OnUpdate(DATABASES, { field: 'spec.storage' })
  async expand({ name, spec }: Context) {
    const size = String(spec.storage);
    if (await this.isOutgrown(name, size)) {
      await this.parts.remove('set', name);
      await this.parts.set('volume', name, { size });
    }
    await this.parts.set('set', name, { size });
  }

  protected async isOutgrown(name: string, size: string): Promise<boolean> {
    const set = await this.parts.find('set', name);
    return set !== undefined && set.size !== size;
  }
}

@Injectable()
class SizeOfVolume extends SizeOfSet {
  protected override async isOutgrown(name: string, size: string): Promise<boolean> {
    return (await this.parts.find('volume', name))?.size !== size;
  }
}

/** A node is restarted if its configuration was just replaced: after a crash in between, it is not replaced again. */
@Injectable()
class MarkedAfter {
  constructor(@Inject(Parts) protected readonly parts: Parts) {}

  @OnCreate(DATABASES)
  async create({ name, spec }: Context) {
    for (const role of ['config', 'node']) await this.parts.set(role, name, { text: spec.config! });
  }

  @OnUpdate(DATABASES, { field: 'spec.config' })
  async reload({ name, spec }: Context) {
    const text = spec.config!;
    if ((await this.parts.find('config', name))?.text !== text) {
      await this.parts.set('config', name, { text });
      await this.parts.set('restart', name, {});
    }
    if ((await this.parts.find('restart', name)) === undefined) return;
    await this.parts.set('node', name, { text });
    await this.parts.remove('restart', name);
  }
}

/** The node itself reports whether it has its configuration: neither a crash nor the deletion of a mark can keep it from being restarted. */
@Injectable()
class ComparedWithNode extends MarkedAfter {
  @OnUpdate(DATABASES, { field: 'spec.config' })
  override async reload({ name, spec }: Context) {
    const text = spec.config!;
    await this.parts.set('config', name, { text });
    if ((await this.parts.find('node', name))?.text !== text) await this.parts.set('node', name, { text });
  }
}

/** The node to remove must be there, unless it is known to be removed: a crash between both ends all handling of the object. */
@Injectable()
class RemovedThenNoted {
  constructor(@Inject(Parts) protected readonly parts: Parts) {}

  @OnCreate(DATABASES)
  async create({ name, spec }: Context) {
    if (spec.replicas === 0) return;
    for (const role of ['node', 'volume']) await this.parts.set(role, name, {});
  }

  @OnUpdate(DATABASES, { field: 'spec.replicas' })
  async shrink({ name }: Context) {
    if ((await this.parts.find('operation', name)) === undefined) {
      await this.removeNode(name);
      await this.parts.set('operation', name, { phase: 'finalizing' });
    }
    await this.parts.remove('volume', name);
  }

  protected async removeNode(name: string): Promise<void> {
    if ((await this.parts.find('node', name)) === undefined) throw new Error('the node is unknown');
    await this.parts.remove('node', name);
  }
}

@Injectable()
class RemovedOrGone extends RemovedThenNoted {
  @OnCreate(DATABASES)
  override async create(context: Context) {
    // An object of this name may have gone in the middle of its removal.
    if (context.spec.replicas === 0) await this.shrink(context);
    else await super.create(context);
  }

  protected override async removeNode(name: string): Promise<void> {
    await this.parts.remove('node', name);
  }
}

/** Two certificates are made if the first one is missing: after a crash between them, the second one never is. */
@Injectable()
class BothIfFirst {
  constructor(@Inject(Parts) protected readonly parts: Parts) {}

  @OnCreate(DATABASES)
  async create({ name }: Context) {
    if (await this.hasCertificates(name)) return;
    await this.parts.set('certificate', name, { for: 'clients' });
    await this.parts.set('certificate', `${name}-internal`, { for: 'nodes' });
  }

  protected async hasCertificates(name: string): Promise<boolean> {
    return (await this.parts.find('certificate', name)) !== undefined;
  }
}

@Injectable()
class BothIfEither extends BothIfFirst {
  protected override async hasCertificates(name: string): Promise<boolean> {
    return (await this.parts.count('certificate')) === 2 && super.hasCertificates(name);
  }
}

/** A node is marked as ready only by the call that has created it: after a crash in between, it is never taken for one that can be removed. */
@Injectable()
class MarkedByCreator {
  constructor(@Inject(Parts) protected readonly parts: Parts) {}

  @OnCreate(DATABASES)
  async create({ name, spec }: Context) {
    if (spec.replicas === 0) return;
    if ((await this.parts.find('node', name)) !== undefined) return this.onExisting(name);
    await this.parts.set('node', name, {});
    await this.parts.set('state', name, { action: 'upscaled' });
  }

  @OnUpdate(DATABASES, { field: 'spec.replicas' })
  async shrink({ name }: Context) {
    if ((await this.parts.find('state', name))?.action === 'upscaled') await this.parts.remove('node', name);
  }

  protected async onExisting(_name: string): Promise<void> {}
}

@Injectable()
class MarkedInAnyCase extends MarkedByCreator {
  @OnCreate(DATABASES)
  override async create(context: Context) {
    // An object of this name may have had a node.
    if (context.spec.replicas === 0) await this.parts.remove('node', context.name);
    else await super.create(context);
  }

  protected override async onExisting(name: string): Promise<void> {
    await this.parts.set('state', name, { action: 'upscaled' });
  }
}

/** Bugs of operations in several steps that a crash interrupts. */
export const UNFINISHED: readonly RegressionCase[] = [
  {
    name: 'a volume that keeps its size, as the set that stores it was deleted first',
    seenIn: 'rabbitmq/cluster-operator#782',
    pattern: 'intermediate',
    bug: SizeOfSet,
    fixed: SizeOfVolume,
    check: 'final-state',
    faults: [{ kind: 'crash', afterWrite: 4 }],
    options: { workload: inSteps(apply(database({ storage: 10 })), change({ storage: 15 })) },
  },
  {
    name: 'a node that is never restarted with its new configuration',
    seenIn: 'Orange-OpenSource/nifikop#130',
    pattern: 'intermediate',
    bug: MarkedAfter,
    fixed: ComparedWithNode,
    check: 'final-state',
    faults: [{ kind: 'crash', afterWrite: 4 }],
    options: { workload: inSteps(apply(database({ config: 'old' })), change({ config: 'new' })) },
  },
  {
    name: 'a removal that fails permanently, as the node is gone before that is recorded',
    seenIn: 'Orange-OpenSource/casskop#370',
    pattern: 'intermediate',
    bug: RemovedThenNoted,
    fixed: RemovedOrGone,
    check: 'convergence',
    faults: [{ kind: 'crash', afterWrite: 4 }],
    options: {
      ignore: ['ConfigMap default/operation-a'],
      workload: inSteps(apply(database({ replicas: 1 })), change({ replicas: 0 })),
    },
  },
  {
    name: 'a second certificate that is taken for made with the first',
    seenIn: 'Percona K8SPSMDB-578, K8SPXC-896',
    pattern: 'intermediate',
    bug: BothIfFirst,
    fixed: BothIfEither,
    check: 'final-state',
    faults: [{ kind: 'crash', afterWrite: 1 }],
    options: { workload: inSteps(apply(database())) },
  },
  {
    name: 'a node that is never removed, as it was created but not marked',
    seenIn: 'konpyutaika/nifikop#79',
    pattern: 'intermediate',
    bug: MarkedByCreator,
    fixed: MarkedInAnyCase,
    check: 'final-state',
    faults: [{ kind: 'crash', afterWrite: 1 }],
    options: {
      ignore: ['ConfigMap default/state-a'],
      workload: inSteps(apply(database({ replicas: 1 })), change({ replicas: 0 })),
    },
  },
];
