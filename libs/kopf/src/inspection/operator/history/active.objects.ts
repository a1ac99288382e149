import type { Inventory } from '../../../handling/inventory.js';
import type { ObjectMemory } from '../../../handling/object.memory.js';

/** The most objects whose cycles are noted before somebody asks; for more than these, all objects are looked at once. */
const MOST_NOTED = 10_000;

/**
 * Knows which objects handlers have left something to do for: few of very many. All objects are looked at once; after that, only those whose
 * cycles have ended, as nothing changes outside of cycles. As long as nobody tells of cycles, all are looked at each time.
 */
export class ActiveObjects {
  private isTold = false;
  private inventory?: Inventory;
  private active?: Set<string>;
  private readonly noted = new Set<string>();

  /** Begins to be told of each cycle that ends. */
  start(): void {
    this.clear();
    this.isTold = true;
  }

  /** Is told of cycles no more. */
  clear(): void {
    this.isTold = false;
    this.forget();
  }

  /** Records that a cycle of the object has ended. */
  note(uid: string): void {
    if (!this.active) return;
    this.noted.add(uid);
    if (this.noted.size > MOST_NOTED) this.forget();
  }

  /** Lists the objects by their uids. Some of them can have become idle just now. */
  list(inventory: Inventory | undefined): ReadonlySet<string> {
    if (this.inventory !== inventory) this.forget();
    this.inventory = inventory;
    if (!this.active || !this.isTold) return (this.active = findActive(inventory));
    for (const uid of this.active) if (!isActive(inventory?.find(uid))) this.active.delete(uid);
    // A cycle that has failed just now is followed by the pause that makes its object active: it is looked at the next time, too.
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
  return memory.knownProgress !== undefined || memory.throttler?.isActive === true || memory.rejections.size > 0;
}
