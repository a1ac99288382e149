import { Inject, Injectable } from '@nestjs/common';
import { OnCreate, OnUpdate, PermanentError, Timer, type ChangeContext, type TimerContext } from 'nestjs-kopf';
import type { SimulationProperty } from 'nestjs-kopf-simulation';
import { apply, change, database, DATABASES, dataOf, type DatabaseSpec, inSteps, Parts, specOf } from './database.js';
import { type RegressionCase, Outside } from './regression.case.js';

type Context = ChangeContext<DatabaseSpec>;

/** Whether nodes with this image come up. */
const canStart = (image: string): boolean => /^db:\d+$/.test(image);

/** Nodes are replaced one after another, each when those before are ready: one that never is keeps the fixed image from it. */
@Injectable()
class WaitsForReady {
  constructor(@Inject(Parts) protected readonly parts: Parts) {}

  @OnCreate(DATABASES)
  @OnUpdate(DATABASES, { field: 'spec.image' })
  async roll(context: Context) {
    if (!(await this.replaceNodes(context))) throw new PermanentError('A node cannot start.');
  }

  @Timer(DATABASES, { interval: 10 })
  async goOn(context: TimerContext<DatabaseSpec>) {
    await this.replaceNodes(context);
  }

  protected isToReplace(image: string): boolean {
    return canStart(image);
  }

  /** @returns whether all nodes can start. */
  private async replaceNodes({ name, spec }: Pick<Context, 'name' | 'spec'>): Promise<boolean> {
    for (const node of [`${name}-0`, `${name}-1`]) {
      const { image } = (await this.parts.find('node', node)) ?? {};
      if (image !== undefined && !this.isToReplace(image)) return false;
      await this.parts.set('node', node, { image: spec.image! });
      if (!canStart(spec.image!)) return false;
    }
    return true;
  }
}

@Injectable()
class ReplacesBroken extends WaitsForReady {
  protected override isToReplace(): boolean {
    return true;
  }
}

/** An update that is under way is waited for: one that has failed never ends. */
@Injectable()
class UpdatingForEver {
  constructor(@Inject(Parts) protected readonly parts: Parts) {}

  @OnCreate(DATABASES)
  @OnUpdate(DATABASES, { field: 'spec' })
  async update({ name, spec: { image = 'db:1', storage = 10 } }: Context) {
    const set = await this.parts.find('set', name);
    const { phase } = (await this.parts.find('state', name)) ?? {};
    if (this.isBlocked(phase)) return;
    await this.parts.set('state', name, { phase: 'updating' });
    if (set && set.storage !== String(storage)) await this.reject(name, image, set);
    await this.parts.set('set', name, { image, storage: String(storage) });
    await this.parts.set('state', name, { phase: 'ready' });
  }

  protected isBlocked(phase: string | undefined): boolean {
    return phase === 'updating';
  }

  protected async reject(_name: string, _image: string, _set: Readonly<Record<string, string>>): Promise<never> {
    throw new PermanentError('the storage of a set cannot be changed');
  }
}

@Injectable()
class UpdatingAgain extends UpdatingForEver {
  protected override isBlocked(): boolean {
    return false;
  }

  /** Changes what can be changed. */
  protected override async reject(name: string, image: string, set: Readonly<Record<string, string>>): Promise<never> {
    await this.parts.set('set', name, { ...set, image });
    return super.reject(name, image, set);
  }
}

/** The members get a new size before it changes. Without any member, none can get it, so there never is a member again. */
@Injectable()
class NobodyToTell {
  constructor(
    @Inject(Parts) protected readonly parts: Parts,
    @Inject(Outside) protected readonly outside: Outside,
  ) {}

  @OnCreate(DATABASES)
  async create({ name, spec }: Context) {
    await this.parts.set('set', name, { replicas: String(spec.replicas) });
  }

  @OnUpdate(DATABASES, { field: 'spec.replicas' })
  async scale(context: Context) {
    const { name, spec } = context;
    const members = Number((await this.parts.find('set', name))?.replicas ?? 0);
    if (members > 0) await this.outside.set(`size-${name}`, String(spec.replicas));
    else this.onNobody();
    await this.create(context);
  }

  protected onNobody(): void {
    throw new Error('no member answers');
  }
}

@Injectable()
class NobodyNeedsToKnow extends NobodyToTell {
  protected override onNobody(): void {}
}

/** A job that prepares an update is not created again: one that has failed keeps the fixed image from being used. */
@Injectable()
class JobOnce {
  constructor(@Inject(Parts) protected readonly parts: Parts) {}

  @OnCreate(DATABASES)
  @OnUpdate(DATABASES, { field: 'spec.image' })
  async update({ name, spec }: Context) {
    const image = spec.image!;
    const job = await this.parts.find('job', name);
    if (job === undefined || this.isOutdated(job, image)) {
      await this.parts.set('job', name, { image, succeeded: String(canStart(image)) });
    } else if (job.succeeded === 'false') return;
    if (canStart(image)) await this.parts.set('set', name, { image });
  }

  protected isOutdated(job: Readonly<Record<string, string>>, image: string): boolean {
    return job.succeeded === 'true' && job.image !== image;
  }
}

@Injectable()
class JobPerImage extends JobOnce {
  protected override isOutdated(job: Readonly<Record<string, string>>, image: string): boolean {
    return job.image !== image;
  }
}

/** A node is decommissioned first and removed when it has no data left: if it is wanted again before that, it stays decommissioned. */
@Injectable()
class DecommissionedForEver {
  constructor(@Inject(Parts) protected readonly parts: Parts) {}

  @OnCreate(DATABASES)
  @OnUpdate(DATABASES, { field: 'spec.replicas' })
  async scale({ name, spec }: Context) {
    const node = await this.parts.find('node', name);
    if (spec.replicas === 0) await this.parts.set('node', name, { mode: 'decommissioned' });
    else if (node === undefined || this.isToRejoin(node)) await this.parts.set('node', name, { mode: 'normal' });
  }

  protected isToRejoin(_node: Readonly<Record<string, string>>): boolean {
    return false;
  }
}

@Injectable()
class DecommissionedUntilWanted extends DecommissionedForEver {
  protected override isToRejoin({ mode }: Readonly<Record<string, string>>): boolean {
    return mode !== 'normal';
  }
}

const imageIsUsed = (role: string, name: string): SimulationProperty =>
  function wishedImageIsUsed(state) {
    return dataOf(state, role, name)?.image === specOf(state).image;
  };

/** Bugs by which a bad change that is taken back does not leave the state as before. */
export const ERRORS: readonly RegressionCase[] = [
  {
    name: 'a rollout that waits for a node which cannot start',
    seenIn:
      'pravega/zookeeper-operator#547, opensearch-project/opensearch-k8s-operator#856, cloudnative-pg/cloudnative-pg#3541',
    pattern: 'error',
    bug: WaitsForReady,
    fixed: ReplacesBroken,
    check: 'changes',
    faults: [],
    states: [database({ image: 'db:broken', replicas: 2 }), database({ image: 'db:1', replicas: 2 })],
    options: { changes: { object: database({ image: 'db:1', replicas: 2 }), fields: ['spec.image'] } },
  },
  {
    name: 'an update that has failed, and is waited for',
    seenIn: 'dragonflydb/dragonfly-operator#519',
    pattern: 'error',
    bug: UpdatingForEver,
    fixed: UpdatingAgain,
    check: 'eventually',
    faults: [],
    options: {
      // The storage is the first one that was seen.
      ignore: ['ConfigMap default/set-a .data.storage', 'ConfigMap default/state-a .data.phase'],
      workload: inSteps(
        apply(database({ image: 'db:1', storage: 10 })),
        change({ storage: 15 }),
        change({ storage: 10, image: 'db:2' }),
      ),
      eventually: [imageIsUsed('set', 'a')],
    },
  },
  {
    name: 'a cluster without members that cannot grow again',
    seenIn: 'anvil-verifier/anvil#269',
    pattern: 'error',
    bug: NobodyToTell,
    fixed: NobodyNeedsToKnow,
    check: 'convergence',
    faults: [],
    options: {
      workload: inSteps(apply(database({ replicas: 3 })), change({ replicas: 0 }), change({ replicas: 3 })),
    },
  },
  {
    name: 'a job that has failed, and is not created again',
    seenIn: 'mattermost/mattermost-operator#199',
    pattern: 'error',
    bug: JobOnce,
    fixed: JobPerImage,
    check: 'eventually',
    faults: [],
    options: {
      workload: inSteps(apply(database({ image: 'db:1' })), change({ image: 'db:broken' }), change({ image: 'db:2' })),
      eventually: [imageIsUsed('set', 'a')],
    },
  },
  {
    name: 'a node that stays decommissioned, though it is wanted again',
    seenIn: 'instaclustr/cassandra-operator#410',
    pattern: 'error',
    bug: DecommissionedForEver,
    fixed: DecommissionedUntilWanted,
    check: 'eventually',
    faults: [],
    options: {
      workload: inSteps(apply(database({ replicas: 1 })), change({ replicas: 0 }), change({ replicas: 1 })),
      eventually: [
        function nodeIsAsWished(state) {
          const mode = specOf(state).replicas === 0 ? 'decommissioned' : 'normal';
          return dataOf(state, 'node', 'a')?.mode === mode;
        },
      ],
    },
  },
];
