import { Waiters } from 'kube-common';

/**
 * Holds back all handlers until every object of the indexed resources that was there is indexed.
 *
 * It is open while nobody has a barrier in it, and closes again when another indexed resource comes up.
 */
export class IndexingGate {
  private readonly barriers = new Set<object>();
  private readonly waiters = new Waiters();
  private isAborted = false;

  get isOpen(): boolean {
    return this.barriers.size === 0 || this.isAborted;
  }

  /** Is true once nothing is to be handled any more. */
  get aborted(): boolean {
    return this.isAborted;
  }

  /** Resolves when the gate is open. */
  opened(): Promise<void> {
    return this.isOpen ? Promise.resolve() : this.waiters.join();
  }

  close(barrier: object): void {
    this.barriers.add(barrier);
  }

  open(barrier: object): void {
    this.barriers.delete(barrier);
    if (this.isOpen) this.waiters.release();
  }

  /** Opens for ever, for those who wait to end their work. */
  abort(): void {
    this.isAborted = true;
    this.waiters.release();
  }
}
