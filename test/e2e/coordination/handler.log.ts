import type { Clock, ObjectContext } from 'nestjs-kopf';

interface Shift {
  readonly operator: string;
  readonly object: string;
  readonly from: number;
  to: number;
}

/** Takes note of which operator works on which object, and when, by the clock that all of them share. */
export class ShiftLog {
  readonly shifts: Shift[] = [];

  constructor(private readonly clock: Clock) {}

  /** Does something in the name of an operator; nothing is noted any more once that operator is dead. */
  async during(operator: string, { name = '' }: Partial<ObjectContext>, work: () => Promise<unknown>): Promise<void> {
    const shift = { operator, object: name, from: this.clock.monotonic(), to: Infinity };
    if (this.dead.has(operator)) return;
    this.shifts.push(shift);
    await work();
    shift.to = Math.min(shift.to, this.clock.monotonic());
  }

  /** What a dead operator was doing has ended. */
  bury(operator: string): void {
    this.dead.add(operator);
    for (const shift of this.of(operator)) shift.to = Math.min(shift.to, this.clock.monotonic());
  }

  of(operator: string): readonly Shift[] {
    return this.shifts.filter((shift) => shift.operator === operator);
  }

  /** The objects that an operator has worked on, each once. */
  objectsOf(operator: string): string[] {
    return [...new Set(this.of(operator).map(({ object }) => object))].sort();
  }

  /** Pairs of shifts of different operators on the same object at the same time. */
  get clashes(): readonly string[] {
    return this.shifts.flatMap((one) =>
      this.shifts
        .filter((other) => other.object === one.object && other.operator > one.operator)
        .filter((other) => one.from < other.to && other.from < one.to)
        .map(
          (other) =>
            `${one.object}: ${one.operator} ${one.from}-${one.to}, ${other.operator} ${other.from}-${other.to}`,
        ),
    );
  }

  private readonly dead = new Set<string>();
}
