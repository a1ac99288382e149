import type { StorageEvent } from './stored.object.js';

/** The history of a collection at one moment. */
export interface HistorySnapshot {
  readonly events: readonly StorageEvent[];
  /** The revision before which nothing is known. */
  readonly lost: number;
}

/** The latest changes of one collection, so that a watch can resume and a list can continue at its version. */
export class EventHistory {
  private events: StorageEvent[] = [];
  private first = 0;
  private lost: number;

  /**
   * @param capacity how many changes are kept
   * @param since the revision before which nothing is known
   */
  constructor(
    private readonly capacity: number,
    since: number,
  ) {
    this.lost = since;
  }

  /** The newest revision whose change is not kept any more: only later changes are known. */
  get compacted(): number {
    return this.lost;
  }

  get size(): number {
    return this.events.length - this.first;
  }

  /** Returns the changes that are kept, for a snapshot. */
  snapshot(): HistorySnapshot {
    return { events: this.since(0), lost: this.lost };
  }

  restore({ events, lost }: HistorySnapshot): void {
    this.events = events.slice();
    this.first = 0;
    this.lost = lost;
  }

  push(event: StorageEvent): void {
    this.events.push(event);
    if (this.size > this.capacity) this.dropFirst(1);
  }

  /** Checks whether every change after the revision is still known. */
  covers(revision: number): boolean {
    return revision >= this.lost;
  }

  /** Returns the changes after a revision, oldest first. */
  since(revision: number): StorageEvent[] {
    return this.events.slice(this.indexAfter(revision));
  }

  /** Takes back the changes after a revision. @returns the changes, oldest first */
  rewind(revision: number): StorageEvent[] {
    return this.events.splice(this.indexAfter(revision));
  }

  /** Forgets the changes up to a revision. */
  expire(revision: number): void {
    this.dropFirst(this.indexAfter(revision) - this.first);
    this.lost = Math.max(this.lost, revision);
  }

  private dropFirst(count: number): void {
    if (count <= 0) return;
    this.lost = this.events[this.first + count - 1]!.revision;
    this.first += count;
    if (this.first * 2 > this.events.length) {
      this.events = this.events.slice(this.first);
      this.first = 0;
    }
  }

  private indexAfter(revision: number): number {
    let low = this.first;
    let high = this.events.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.events[middle]!.revision <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
