/** Seconds of processor time after which a plan counts as slow, and after each of which that is reported again. */
const SLOW = 5;
/** Seconds of processor time that a plan may take, unless the options set another limit. */
const LIMIT = 60;
/** The number of checks for each measurement. */
const CHECKS = 32;

/** The processor time of one plan. It is that of the whole process, so that a busy machine does not matter, but other code in the process does. */
export class ProcessorBudget {
  private readonly begun: number;
  private reported = 0;
  private checks = 0;
  private isOver = false;

  /** @param onSlow called with the seconds so far when the plan takes long. @param measure the seconds of the process so far */
  constructor(
    private readonly limit = LIMIT,
    private readonly onSlow?: (seconds: number) => void,
    private readonly measure: () => number = processorSeconds,
  ) {
    this.begun = measure();
  }

  /** Whether the plan has taken more than it may. */
  get isExceeded(): boolean {
    if (this.isOver || (this.checks += 1) % CHECKS !== 0) return this.isOver;
    const seconds = this.measure() - this.begun;
    const slow = Math.floor(seconds / SLOW);
    if (slow > this.reported) this.onSlow?.(Math.round(seconds));
    this.reported = Math.max(this.reported, slow);
    this.isOver = seconds > this.limit;
    return this.isOver;
  }

  get message(): string {
    return `the run takes more than ${this.limit} s of processor time`;
  }
}

function processorSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000_000;
}
