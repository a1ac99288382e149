import type { Inventory } from '../../../handling/inventory.js';
import type { ObjectMemory } from '../../../handling/object.memory.js';

/** The most objects whose cycles are recorded between two lists; if there are more, all objects are visited once. */
const MOST_NOTED = 10_000;

/**
 * The objects with unfinished handlers: few of very many. All objects are visited once; after that, only those whose cycles have ended, or
 * whose daemons and timers were called, as nothing changes otherwise. Before the start, all objects are visited each time.
 */
export class ActiveObjects {
  private isTold = false;
  private inventory?: Inventory;
  private active?: Set<string>;
  private readonly noted = new Set<string>();

  /** Begins to record the objects whose cycles end. */
  start(): void {
    this.clear();
    this.isTold = true;
  }

  /** Stops recording, and forgets the objects. */
  clear(): void {
    this.isTold = false;
    this.forget();
  }

  /** Records that a cycle of the object has ended, or a call of a daemon or a timer. */
  record(uid: string): void {
    if (!this.active) return;
    this.noted.add(uid);
    if (this.noted.size > MOST_NOTED) this.forget();
  }

  /** Returns the uids of the objects. Some of them may have become idle just now. */
  list(inventory: Inventory | undefined): ReadonlySet<string> {
    if (this.inventory !== inventory) this.forget();
    this.inventory = inventory;
    if (!this.active || !this.isTold) return (this.active = findActive(inventory));
    for (const uid of this.active) if (!isActive(inventory?.find(uid))) this.active.delete(uid);
    // A pause that makes the object active follows a cycle that has failed just now: the object is visited the next time, too.
    for (const uid of this.noted) this.active.add(uid);
    this.noted.clear();
    return this.active;
  }

  private forget(): void {
    this.active = undefined;
    this.noted.clear();
  }
}

function findActive(inventory: Inventory | undefined): Set<string> {
  const found = new Set<string>();
  inventory?.all.forEach((memory, uid) => {
    if (isActive(memory)) found.add(uid);
  });
  return found;
}

function isActive(memory: ObjectMemory | undefined): boolean {
  if (memory === undefined) return false;
  if (memory.failedHandling !== undefined || memory.background?.failures !== undefined) return true;
  return memory.knownProgress !== undefined || memory.throttler?.isActive === true || memory.rejections.size > 0;
}
