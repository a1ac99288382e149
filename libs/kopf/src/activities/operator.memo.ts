/** The memo of the operator: the option `memo`, or an empty object for each run of the operator. */
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
