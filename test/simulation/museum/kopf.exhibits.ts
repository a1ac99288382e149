import { Inject, Injectable } from '@nestjs/common';
import { Daemon, OnCreate, OnDelete, type ChangeContext, type DaemonContext } from 'nestjs-kopf';
import type { SimulatedUser } from 'nestjs-kopf/simulation';
import { apply, database, DATABASES, inSteps, part, Parts } from './database.js';
import { type Exhibit, Outside } from './exhibit.js';

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

/** A daemon that ends at the first error of the API server, and never runs again. */
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

const BACKUP = 'museum.dev/backup';

/** The finalizers of the database without that of the user, who leaves those of operators. */
function othersOf(kube: SimulatedUser): readonly string[] {
  return (kube.find(database())?.metadata.finalizers ?? []).filter((name) => name !== BACKUP);
}

/** Weaknesses that Kopf documents, in operators whose options imitate it. */
export const KOPF: readonly Exhibit[] = [
  {
    name: 'a deletion that is missed while disconnected',
    seenIn: 'Kopf’s documentation of optional deletion handlers',
    pattern: 'kopf',
    bug: NotHeld,
    mended: Held,
    check: 'eventually',
    faults: [{ kind: 'skip', resource: DATABASES, fromChange: 3, untilChange: 4 }],
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
    name: 'a daemon that is lost after an error of its connection',
    seenIn: 'nolar/kopf#787, nolar/kopf#1276',
    pattern: 'kopf',
    bug: EndsWithError,
    mended: GoesOnAfterError,
    check: 'final-state',
    faults: [{ kind: 'lost-answer', ofWrite: 2 }],
    options: {
      kopf: { networking: { errorBackoffs: [] } },
      world: { objects: [part('config', 'a', { text: 'old' })] as never },
      workload: inSteps(apply(database()), apply(part('config', 'a', { text: 'new' }))),
    },
  },
];
