import { Waiters } from 'kube-common';

/**
 * The gate that holds back all handlers until every existing object of the indexed resources is indexed. It is open while it has no
 * barriers, and closes again when another indexed resource is added.
 */
export class IndexingGate {
  private readonly barriers = new Set<object>();
  private readonly waiters = new Waiters();
  private isAborted = false;

  get isOpen(): boolean {
    return this.barriers.size === 0 || this.isAborted;
  }

  /** Whether the gate was aborted, so that nothing is handled any more. */
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

  /** Opens the gate permanently, so that waiting workers can end. */
  abort(): void {
    this.isAborted = true;
    this.waiters.release();
  }
}
