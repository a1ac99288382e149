/** Lets several callers wait for the same event. Their promise is created for the first of them, as mostly nobody waits. */
export class Waiters {
  private waiting?: { readonly promise: Promise<void>; readonly resolve: () => void };

  /** Resolves when they are released. */
  join(): Promise<void> {
    if (!this.waiting) {
      let resolve: () => void = () => undefined;
      const promise = new Promise<void>((done) => (resolve = done));
      this.waiting = { promise, resolve };
    }
    return this.waiting.promise;
  }

  /** Releases all waiting callers; those that come later wait for the next release. */
  release(): void {
    this.waiting?.resolve();
    this.waiting = undefined;
  }
}
