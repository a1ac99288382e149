/** Limits how many objects are processed at the same time. Those beyond the limit wait in the order of their coming. */
export class Slots {
  private taken = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly limit: () => number | null) {}

  async acquire(): Promise<void> {
    const limit = this.limit();
    if (limit !== null && this.taken >= limit) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.taken += 1;
  }

  release(): void {
    const next = this.waiting.shift();
    if (next) next();
    else this.taken -= 1;
  }
}
