import type { IndexingGate } from './indexing.gate.js';

/** Keeps the gate closed until the first list of one resource is complete, and all that was listed is indexed. */
export class ListBarrier {
  /** Objects that were listed: whether they are indexed. */
  private readonly objects = new Map<string, boolean>();
  private pending = 0;
  private isListed = false;
  private isGone = false;

  constructor(private readonly gate: IndexingGate) {
    gate.close(this);
  }

  /** An object was listed; once is enough, although it may come again. */
  expect(object: string): void {
    if (this.isGone || this.objects.has(object)) return;
    this.objects.set(object, false);
    this.pending += 1;
  }

  /** An object was indexed, or cannot be. */
  indexed(object: string): void {
    if (this.objects.get(object) !== false) return;
    this.objects.set(object, true);
    this.pending -= 1;
    this.check();
  }

  /** The list is complete. */
  complete(): void {
    this.isListed = true;
    this.check();
  }

  /** Nobody needs to wait for the resource any more. */
  leave(): void {
    if (this.isGone) return;
    this.isGone = true;
    this.objects.clear();
    this.gate.open(this);
  }

  private check(): void {
    if (this.isListed && this.pending === 0) this.leave();
  }
}
