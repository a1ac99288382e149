import type { Clock, ObjectContext } from 'nestjs-kopf';

interface HandlerRun {
  readonly operator: string;
  readonly object: string;
  readonly from: number;
  to: number;
}

/** Records which operator runs a handler for which object, and when, by the clock that all operators share: to find work that overlaps. */
export class HandlerLog {
  readonly runs: HandlerRun[] = [];

  constructor(private readonly clock: Clock) {}

  /** Runs the work of an operator's handler, and records it, unless the operator has ended. */
  async during(operator: string, { name = '' }: Partial<ObjectContext>, work: () => Promise<unknown>): Promise<void> {
    const run = { operator, object: name, from: this.clock.monotonic(), to: Infinity };
    if (this.ended.has(operator)) return;
    this.runs.push(run);
    await work();
    run.to = Math.min(run.to, this.clock.monotonic());
  }

  /** Ends the runs of an operator that has crashed; nothing more of it is recorded. */
  end(operator: string): void {
    this.ended.add(operator);
    for (const run of this.of(operator)) run.to = Math.min(run.to, this.clock.monotonic());
  }

  /** Records what an operator does that was taken for ended, as it was only stopped. */
  resume(operator: string): void {
    this.ended.delete(operator);
  }

  of(operator: string): readonly HandlerRun[] {
    return this.runs.filter((run) => run.operator === operator);
  }

  /** The objects that an operator has worked on, each once. */
  objectsOf(operator: string): string[] {
    return [...new Set(this.of(operator).map(({ object }) => object))].sort();
  }

  /** Pairs of runs of different operators on the same object at the same time. */
  get overlaps(): readonly string[] {
    return this.runs.flatMap((one) =>
      this.runs
        .filter((other) => other.object === one.object && other.operator > one.operator)
        .filter((other) => one.from < other.to && other.from < one.to)
        .map(
          (other) =>
            `${one.object}: ${one.operator} ${one.from}-${one.to}, ${other.operator} ${other.from}-${other.to}`,
        ),
    );
  }

  private readonly ended = new Set<string>();
}
