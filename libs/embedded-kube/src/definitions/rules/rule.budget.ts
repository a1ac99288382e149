/** The most that the rules of one object may cost together. */
export const RULE_BUDGET = 10_000_000;

/** The budget for the rules of one object. */
export class RuleBudget {
  private left: number;

  constructor(budget = RULE_BUDGET) {
    this.left = budget;
  }

  /** Whether no further rules are evaluated. */
  get isExhausted(): boolean {
    return this.left < 0;
  }

  get isEmpty(): boolean {
    return this.left <= 0;
  }

  /** Subtracts a cost. @returns false, and ends the evaluation of rules, if too little is left */
  take(cost: number): boolean {
    if (cost > this.left) this.end();
    else this.left -= cost;
    return !this.isExhausted;
  }

  end(): void {
    this.left = -1;
  }
}
