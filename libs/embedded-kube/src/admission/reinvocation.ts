/** Lets the mutating plugins of one write be asked a second time, and those that had their say remember it. */
export class Reinvocation {
  private asked = false;
  private second = false;

  /** Whether the plugins are being asked again. */
  get isSecondRound(): boolean {
    return this.second;
  }

  /** Whether a plugin wants the others to see what it changed. */
  get isRequested(): boolean {
    return this.asked;
  }

  /** Asks for a second round; there is never a third. */
  request(): void {
    this.asked = true;
  }

  beginSecondRound(): void {
    this.second = true;
  }
}
