import { Inject, Injectable } from '@nestjs/common';
import {
  Daemon,
  Index,
  KopfWatcher,
  OnCreate,
  OnDelete,
  type ChangeContext,
  type DaemonContext,
  type IndexContext,
} from 'nestjs-kopf';
import type { SimulatedUser } from 'nestjs-kopf-simulation';
import { apply, database, DATABASES, inSteps, part, Parts, parts } from './database.js';
import { type RegressionCase, Outside } from './regression.case.js';

/** A deletion handler that does not hold the object, as `optional` ones: a deletion while the operator is disconnected is missed. */
@Injectable()
class NotHeld {
  constructor(@Inject(Outside) protected readonly outside: Outside) {}

  @OnCreate(DATABASES)
  async acquire({ name }: ChangeContext) {
    await this.outside.set(name, 'backup');
  }

  @OnDelete(DATABASES, { optional: true })
  async release({ name }: ChangeContext) {
    await this.outside.remove(name);
  }
}

@Injectable()
class Held extends NotHeld {
  @OnDelete(DATABASES)
  override async release(context: ChangeContext) {
    await super.release(context);
  }
}

/** A daemon that ends with its first failed request, and never runs again. */
@Injectable()
class EndsWithError {
  constructor(@Inject(Parts) protected readonly parts: Parts) {}

  @Daemon(DATABASES, { errors: 'permanent' })
  async mirror(context: DaemonContext) {
    await this.copy(context);
  }

  protected async copy({ name, stopped }: DaemonContext): Promise<void> {
    while (!stopped.isSet) {
      const { text = '' } = (await this.parts.find('config', name)) ?? {};
      await this.parts.set('mirror', name, { text });
      await stopped.wait(10);
    }
  }
}

@Injectable()
class GoesOnAfterError extends EndsWithError {
  @Daemon(DATABASES, { errors: 'temporary', backoff: 5 })
  override async mirror(context: DaemonContext) {
    await this.copy(context);
  }
}

/**
 * A daemon that lives on what a watch tells, and ends with it. A watch of Kopf ends with the first connection that fails, and a daemon that has
 * ended is not started again. Watches go on here, so the daemon looks itself for the error that would have ended the watch.
 */
@Injectable()
class EndsWithWatch {
  constructor(
    @Inject(KopfWatcher) private readonly watcher: KopfWatcher,
    @Inject(Parts) private readonly parts: Parts,
  ) {}

  @Index('configmaps.v1', parts('config'))
  configs({ labels, body }: IndexContext) {
    return new Map([[labels.of, (body.data as Record<string, string>).text]]);
  }

  @Daemon(DATABASES, { errors: 'permanent' })
  async mirror(context: DaemonContext) {
    await this.follow(context);
  }

  protected async follow({ name, indices, stopped }: DaemonContext): Promise<void> {
    while (!stopped.isSet) {
      this.requireWatch();
      const [text = ''] = (indices.configs.get(name) ?? []) as Iterable<string>;
      await this.parts.set('mirror', name, { text });
      await stopped.wait(10);
    }
  }

  /** Throws the error after which the watch of the configurations waits to be connected again. */
  private requireWatch(): void {
    const watch = this.watcher.states.find(({ resource }) => resource.plural === 'configmaps');
    if (watch?.state === 'backingOff' && watch.lastError !== undefined) throw watch.lastError;
  }
}

@Injectable()
class OutlivesWatch extends EndsWithWatch {
  @Daemon(DATABASES, { errors: 'temporary', backoff: 5 })
  override async mirror(context: DaemonContext) {
    await this.follow(context);
  }
}

const BACKUP = 'regressions.dev/backup';

/** The finalizers of the database without that of the user, who leaves those of operators. */
function othersOf(kube: SimulatedUser): readonly string[] {
  return (kube.find(database())?.metadata.finalizers ?? []).filter((name) => name !== BACKUP);
}

/** Weaknesses that Kopf documents, in operators whose options imitate it. */
export const KOPF: readonly RegressionCase[] = [
  {
    name: 'a deletion that is missed while disconnected',
    seenIn: 'Kopf’s documentation of optional deletion handlers',
    pattern: 'kopf',
    bug: NotHeld,
    fixed: Held,
    check: 'eventually',
    faults: [{ kind: 'missed-events', resource: DATABASES, fromChange: 3, untilChange: 4 }],
    options: {
      workload: inSteps(
        apply(database({}, { finalizers: [BACKUP] })),
        (kube) => kube.delete(database()),
        (kube) => kube.patch(database(), { metadata: { finalizers: othersOf(kube) } }),
      ),
      eventually: [
        function isReleased({ find, effects }) {
          return find(database()) !== undefined || effects.memory.get('a') === undefined;
        },
      ],
    },
  },
  {
    name: 'a daemon that is lost after an error of its request',
    seenIn: 'Kopf’s documentation of daemons that exit, and of their errors',
    pattern: 'kopf',
    bug: EndsWithError,
    fixed: GoesOnAfterError,
    check: 'final-state',
    faults: [{ kind: 'lost-answer', ofWrite: 2 }],
    options: {
      kopf: { networking: { errorBackoffs: [] } },
      world: { objects: [part('config', 'a', { text: 'old' })] as never },
      workload: inSteps(apply(database()), apply(part('config', 'a', { text: 'new' }))),
    },
  },
  {
    name: 'a daemon that is lost after an error of a watch',
    seenIn: 'nolar/kopf#787, nolar/kopf#1276, and Kopf’s documentation of daemons that exit',
    pattern: 'kopf',
    bug: EndsWithWatch,
    fixed: OutlivesWatch,
    check: 'final-state',
    faults: [{ kind: 'outage', afterChange: 1 }],
    options: {
      world: { objects: [part('config', 'a', { text: 'old' })] as never },
      workload: inSteps(apply(database()), apply(part('config', 'a', { text: 'new' }))),
    },
  },
];
