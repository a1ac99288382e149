/**
 * Holds back all handlers until every object of the indexed resources that was there is indexed.
 *
 * It is open while nobody has a barrier in it, and closes again when another indexed resource comes up.
 */
export class IndexingGate {
  private readonly barriers = new Set<object>();
  private waiting?: { readonly promise: Promise<void>; readonly resolve: () => void };
  private isAborted = false;

  get isOpen(): boolean {
    return this.barriers.size === 0 || this.isAborted;
  }

  /** Whether nothing is to be handled any more. */
  get aborted(): boolean {
    return this.isAborted;
  }

  /** Resolves when the gate is open. */
  opened(): Promise<void> {
    if (this.isOpen) return Promise.resolve();
    if (!this.waiting) {
      let resolve: () => void = () => undefined;
      const promise = new Promise<void>((done) => (resolve = done));
      this.waiting = { promise, resolve };
    }
    return this.waiting.promise;
  }

  close(barrier: object): void {
    this.barriers.add(barrier);
  }

  open(barrier: object): void {
    this.barriers.delete(barrier);
    if (this.isOpen) this.letThrough();
  }

  /** Opens for ever, for those who wait to end their work. */
  abort(): void {
    this.isAborted = true;
    this.letThrough();
  }

  private letThrough(): void {
    this.waiting?.resolve();
    this.waiting = undefined;
  }
}
