import { NullJournal } from './journal.js';
import { ObjectStore } from './object.store.js';
import type { StorageEvent } from './stored.object.js';

/**
 * A copy of a store that can stay behind it: it begins at some revision, and takes later changes over up to the one that {@link advance}
 * allows.
 */
export class StoreReplica {
  readonly store: ObjectStore;
  private readonly pending: StorageEvent[] = [];
  private readonly unsubscribe: () => void;
  private allowed: number;

  /**
   * @param revision where to begin
   * @throws RangeError if the revision is yet to come, or the history does not go back so far
   */
  constructor(
    private readonly leader: ObjectStore,
    revision: number,
    historySize: number,
  ) {
    this.store = new ObjectStore(new NullJournal(), historySize);
    this.store.open(leader.snapshot());
    this.pending.push(...this.store.rewind(revision));
    this.allowed = revision;
    this.unsubscribe = leader.subscribe((event) => {
      this.pending.push(event);
      this.replicate();
    });
  }

  /** The revision of the store that it follows. */
  get newest(): number {
    return this.leader.revision;
  }

  /** Whether the replica takes every change over as it happens. */
  get isUnlimited(): boolean {
    return this.allowed === Infinity;
  }

  /** Takes over the changes up to a revision; `Infinity` for all, also later ones. */
  advance(revision: number): void {
    this.allowed = Math.max(this.allowed, revision);
    this.replicate();
  }

  /** Stops taking over changes. */
  stop(): void {
    this.unsubscribe();
    this.pending.length = 0;
  }

  private replicate(): void {
    let count = 0;
    while (count < this.pending.length && this.pending[count]!.revision <= this.allowed) {
      this.store.replicate(this.pending[count++]!);
    }
    this.pending.splice(0, count);
  }
}
