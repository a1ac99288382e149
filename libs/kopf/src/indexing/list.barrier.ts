import type { IndexingGate } from './indexing.gate.js';

/** A barrier that keeps the gate closed until the first list of one resource is complete, and all listed objects are indexed. */
export class ListBarrier {
  /** The objects that were listed, and whether they are indexed. */
  private readonly objects = new Map<string, boolean>();
  private pending = 0;
  private isListed = false;
  private isGone = false;

  constructor(private readonly gate: IndexingGate) {
    gate.close(this);
  }

  /** Adds an object that was listed. It is waited for once only, although it may be listed again. */
  expect(object: string): void {
    if (this.isGone || this.objects.has(object)) return;
    this.objects.set(object, false);
    this.pending += 1;
  }

  /** Marks an object as indexed, also if its indexing has failed for good. */
  indexed(object: string): void {
    if (this.objects.get(object) !== false) return;
    this.objects.set(object, true);
    this.pending -= 1;
    this.check();
  }

  /** Marks the list as complete. */
  complete(): void {
    this.isListed = true;
    this.check();
  }

  /** Removes the barrier: the resource is not waited for any more. */
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
