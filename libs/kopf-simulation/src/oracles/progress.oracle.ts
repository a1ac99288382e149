import type { TestingModule } from '@nestjs/testing';
import { type ChangingHandler, HandlerRegistry } from 'nestjs-kopf/tooling';
import { KopfSettings, KopfWatcher } from 'nestjs-kopf';
import { MultiProgressStorage, type ProgressRecord, type ProgressStorage } from 'nestjs-kopf/storages';
import type { WorldChange } from '../world/world.server.js';
import { foldedName } from './final.state.js';
import type { Violation } from './violation.js';

/** Checks that the stored progress of handlers never goes back while it is for the same change. */
export class ProgressOracle {
  private readonly found = new Set<string>();
  private readonly handlers = new Map<string, readonly ChangingHandler[]>();
  /** Each storage has its own progress, as an operator can crash between the writes of two. */
  private storages: readonly ProgressStorage[] = [];
  private watcher?: KopfWatcher;
  private registry?: HandlerRegistry;

  get violations(): readonly Violation[] {
    return [...this.found].map((message) => ({ check: 'progress' as const, message }));
  }

  /** Finds the progress storage of a process. All processes have the same one. */
  follow(module: TestingModule): void {
    this.storages = partsOf(module.get(KopfSettings, { strict: false }).persistence.progressStorage);
    this.watcher = module.get(KopfWatcher, { strict: false });
    this.registry = module.get(HandlerRegistry, { strict: false });
    this.handlers.clear();
  }

  /** Checks what the operator has written. */
  onChange({ type, resource, object, previous }: WorldChange): void {
    if (type !== 'MODIFIED' || !previous) return;
    const handlers = this.handlersOf(resource);
    for (const storage of this.storages) {
      for (const { id } of handlers) {
        const before = storage.fetch(id, previous);
        const after = before && storage.fetch(id, object);
        const step = after && backwardStep(before, after);
        if (step) this.found.add(`the progress of '${id}' for ${foldedName(object)} goes back: ${step}`);
      }
    }
  }

  private handlersOf(resource: string): readonly ChangingHandler[] {
    const known = this.handlers.get(resource);
    if (known) return known;
    const status = this.watcher?.states.find(
      ({ resource: { group, plural } }) => resource === (group ? `${plural}.${group}` : plural),
    );
    if (!status) return [];
    const { owned } = this.registry!.handlersOf(status.resource);
    this.handlers.set(resource, owned);
    return owned;
  }
}

/** The parts of a composed storage. */
function partsOf(storage: ProgressStorage): readonly ProgressStorage[] {
  return storage instanceof MultiProgressStorage ? storage.storages.flatMap(partsOf) : [storage];
}

/** Describes the progress of a handler that is lost; `undefined` if none is. Progress for another purpose belongs to another change. */
function backwardStep(before: ProgressRecord, after: ProgressRecord): string | undefined {
  if (before.purpose !== after.purpose) return undefined;
  // A handler that has finished an earlier state of the object is called again for late changes.
  if (before.handled ?? after.handled) return undefined;
  const ended = (['success', 'failure'] as const).find((end) => before[end] && !after[end]);
  if (ended) return `it was a ${ended}, and is open again`;
  const [earlier, later] = [before.retries ?? 0, after.retries ?? 0];
  return later < earlier ? `it had ${earlier} attempts, and has ${later}` : undefined;
}
