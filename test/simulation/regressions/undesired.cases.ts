import { Inject, Injectable } from '@nestjs/common';
import { OnCreate, OnUpdate, type ChangeContext } from 'nestjs-kopf';
import { apply, change, database, DATABASES, dataOf, type DatabaseSpec, inSteps, Parts, specOf } from './database.js';
import { type RegressionCase, Outside } from './regression.case.js';

type Context = ChangeContext<DatabaseSpec>;

/** Labels are merged into those of the service: one that is taken back stays. */
@Injectable()
class LabelsMerged {
  constructor(@Inject(Parts) protected readonly parts: Parts) {}

  @OnCreate(DATABASES)
  async create({ name, spec }: Context) {
    await this.parts.set('service', name, {}, spec.labels);
  }

  @OnUpdate(DATABASES, { field: 'spec.labels' })
  async relabel({ name, spec }: Context) {
    await this.parts.merge('service', name, { metadata: { labels: spec.labels } });
  }
}

@Injectable()
class LabelsApplied extends LabelsMerged {
  @OnUpdate(DATABASES, { field: 'spec.labels' })
  override async relabel(context: Context) {
    await this.create(context);
  }
}

/** A binding is made once: a plugin that comes later is not in it. */
@Injectable()
class BoundOnce {
  constructor(@Inject(Parts) protected readonly parts: Parts) {}

  @OnCreate(DATABASES)
  @OnUpdate(DATABASES, { field: 'spec.plugins' })
  async bind({ name, spec: { plugins = [] } }: Context) {
    if (await this.isBound(name)) return;
    await this.parts.set('binding', name, { plugins: plugins.join() });
  }

  protected async isBound(name: string): Promise<boolean> {
    return (await this.parts.find('binding', name)) !== undefined;
  }
}

@Injectable()
class BoundAgain extends BoundOnce {
  protected override async isBound(): Promise<boolean> {
    return false;
  }
}

/** A repair service has a keyspace in the database, which outlives it. */
@Injectable()
class KeyspaceLeft {
  constructor(
    @Inject(Parts) protected readonly parts: Parts,
    @Inject(Outside) protected readonly outside: Outside,
  ) {}

  @OnCreate(DATABASES)
  @OnUpdate(DATABASES, { field: 'spec.repair' })
  async reconcile({ name, spec }: Context) {
    if (!spec.repair) return this.undeploy(name);
    await this.outside.set(`keyspace-${name}`, 'reaper');
    await this.parts.set('reaper', name, {});
  }

  protected async undeploy(name: string): Promise<void> {
    await this.parts.remove('reaper', name);
  }
}

@Injectable()
class KeyspaceDropped extends KeyspaceLeft {
  protected override async undeploy(name: string): Promise<void> {
    await super.undeploy(name);
    if (this.outside.get(`keyspace-${name}`) !== undefined) await this.outside.remove(`keyspace-${name}`);
  }
}

/** A list is added to the list that is there: what is taken out of it stays. */
@Injectable()
class ListGrows {
  constructor(@Inject(Parts) protected readonly parts: Parts) {}

  @OnCreate(DATABASES)
  @OnUpdate(DATABASES, { field: 'spec.plugins' })
  async reconcile({ name, spec: { plugins = [] } }: Context) {
    const before = (await this.parts.find('set', name))?.plugins ?? '';
    const all = this.combine(before.split(','), plugins).filter((plugin) => plugin !== '');
    await this.parts.set('set', name, { plugins: all.join() });
  }

  protected combine(before: readonly string[], plugins: readonly string[]): readonly string[] {
    return [...new Set([...before, ...plugins])];
  }
}

@Injectable()
class ListReplaced extends ListGrows {
  protected override combine(_before: readonly string[], plugins: readonly string[]): readonly string[] {
    return plugins;
  }
}

/** Only what is given is merged: a field that is not given any more keeps its value, and does not get its default back. */
@Injectable()
class DefaultAtFirst {
  constructor(@Inject(Parts) protected readonly parts: Parts) {}

  @OnCreate(DATABASES)
  async create({ name, spec }: Context) {
    await this.parts.set('set', name, { image: spec.image ?? 'db:1', config: spec.config ?? 'plain' });
  }

  @OnUpdate(DATABASES, { field: 'spec' })
  async update({ name, spec: { image, config } }: Context) {
    await this.parts.merge('set', name, { data: { ...(image && { image }), ...(config && { config }) } });
  }
}

@Injectable()
class DefaultAlways extends DefaultAtFirst {
  @OnUpdate(DATABASES, { field: 'spec' })
  override async update(context: Context) {
    await this.create(context);
  }
}

/** Bugs by which a chain of changes ends otherwise than a fresh object with the last wishes. */
export const UNDESIRED: readonly RegressionCase[] = [
  {
    name: 'a label that cannot be taken back',
    seenIn: 'k8ssandra/cass-operator#330',
    pattern: 'undesired',
    bug: LabelsMerged,
    fixed: LabelsApplied,
    check: 'changes',
    faults: [],
    states: [database({ image: 'db:1', labels: { tier: 'gold' } }), database({ image: 'db:1' })],
    options: { changes: { object: database({ image: 'db:1', labels: { tier: 'gold' } }), fields: ['spec.labels'] } },
  },
  {
    name: 'a binding that lacks what was added later',
    seenIn: 'rabbitmq/cluster-operator#755',
    pattern: 'undesired',
    bug: BoundOnce,
    fixed: BoundAgain,
    check: 'eventually',
    faults: [],
    options: {
      workload: inSteps(apply(database()), change({ plugins: ['mqtt'] })),
      eventually: [
        function bindingHasPlugins(state) {
          const { plugins = [] } = specOf(state);
          return dataOf(state, 'binding', 'a')?.plugins === plugins.join();
        },
      ],
    },
  },
  {
    name: 'a keyspace that outlives the service that it was for',
    seenIn: 'k8ssandra/k8ssandra-operator#350',
    pattern: 'undesired',
    bug: KeyspaceLeft,
    fixed: KeyspaceDropped,
    check: 'eventually',
    faults: [],
    options: {
      workload: inSteps(apply(database({ repair: true })), change({ repair: false })),
      eventually: [
        function keyspaceIsThereForService(state) {
          return state.effects.memory.has('keyspace-a') === (specOf(state).repair ?? false);
        },
      ],
    },
  },
  {
    name: 'a list that only grows',
    seenIn: 'StarRocks/starrocks-kubernetes-operator#581',
    pattern: 'undesired',
    bug: ListGrows,
    fixed: ListReplaced,
    check: 'eventually',
    faults: [],
    options: {
      workload: inSteps(apply(database({ plugins: ['mqtt', 'stomp'] })), change({ plugins: ['mqtt'] })),
      eventually: [
        function setHasPlugins(state) {
          const { plugins = [] } = specOf(state);
          return dataOf(state, 'set', 'a')?.plugins === plugins.join();
        },
      ],
    },
  },
  {
    name: 'a default that does not come back',
    seenIn: 'open-telemetry/opentelemetry-operator#2947',
    pattern: 'undesired',
    bug: DefaultAtFirst,
    fixed: DefaultAlways,
    check: 'eventually',
    faults: [],
    options: {
      workload: inSteps(apply(database({ config: 'tuned' })), change({ config: null })),
      eventually: [
        function setHasConfig(state) {
          return dataOf(state, 'set', 'a')?.config === (specOf(state).config ?? 'plain');
        },
      ],
    },
  },
];
