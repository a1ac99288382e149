/** Those who wait for the same. Their promise is made for the first of them, as mostly nobody waits. */
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

  /** Lets all of them go on; who joins later waits for the next time. */
  release(): void {
    this.waiting?.resolve();
    this.waiting = undefined;
  }
}
