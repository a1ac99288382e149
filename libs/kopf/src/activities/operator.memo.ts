/** The memo of the operator: what the options give, or an empty object for each of its runs. */
export class OperatorMemo {
  private value: unknown;

  constructor(private readonly given: unknown) {
    this.value = given ?? {};
  }

  get current(): unknown {
    return this.value;
  }

  /** Begins a run. */
  renew(): void {
    this.value = this.given ?? {};
  }
}
