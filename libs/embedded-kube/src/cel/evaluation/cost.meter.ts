import { CelCostError } from '../values/cel.error.js';

/** The cost of an evaluation, which is ended where that is too much. */
export class CostMeter {
  private total = 0;

  constructor(private readonly limit: number) {}

  get spent(): number {
    return this.total;
  }

  /** @throws CelCostError if the limit is exceeded */
  charge(cost: number): void {
    this.total += cost;
    if (this.total > this.limit) throw new CelCostError();
  }
}
