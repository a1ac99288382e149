import { CelEvaluationError } from '../values/cel.error.js';
import { CostMeter } from './cost.meter.js';

/** The most that all expressions of a policy may cost for one write and one set of parameters. */
export const POLICY_BUDGET = 10_000_000;
/** The most that the conditions of a webhook or a policy may cost for one write. */
export const CONDITIONS_BUDGET = 2_500_000;

/** The cost that may be spent before other requests are served: what makes long texts takes a tenth of a second for it. */
const PER_TURN = 200_000;

/** The error that ends the evaluation of several expressions that cost more together than they may. */
export class CelBudgetError extends CelEvaluationError {
  constructor() {
    super('validation failed due to running out of cost budget, no further validation rules will be run');
  }
}

/** The cost that several evaluations may have together; each of them has a limit besides. */
export class CostBudget {
  constructor(
    private left: number,
    private readonly pace?: CostPace,
  ) {}

  /** Whether so many evaluations could cost more than is left. */
  canBeExceededBy(count: number, limit: number): boolean {
    return count * limit > this.left;
  }

  /**
   * Evaluates an expression, and takes off what it cost, also where it has no value.
   *
   * @param limit the most that this evaluation may cost
   * @throws CelBudgetError if that was more than was left
   */
  spend<Value>(limit: number, evaluate: (meter: CostMeter) => Value): Value {
    const meter = new CostMeter(limit);
    try {
      const value = evaluate(meter);
      if (meter.spent > this.left) throw new CelBudgetError();
      return value;
    } catch (error) {
      if (meter.spent > this.left) throw new CelBudgetError();
      throw error;
    } finally {
      this.left -= meter.spent;
      this.pace?.add(meter.spent);
    }
  }
}

/** The cost of the evaluations of a request since other requests were served last. */
export class CostPace {
  private since = 0;

  /** @param limit what may be spent in one turn of the event loop */
  constructor(private readonly limit = PER_TURN) {}

  add(cost: number): void {
    this.since += cost;
  }

  /** Whether it is time to serve other requests; the count begins again then. */
  get isOver(): boolean {
    if (this.since < this.limit) return false;
    this.since = 0;
    return true;
  }
}
