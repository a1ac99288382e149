import { invariantOf } from './plan.shrinking.js';
import type { ScheduleOutcome } from './schedule.runner.js';

/** Sums up what many schedules have come to. */
export class ScheduleTally {
  /** The faults that have really happened, by their kinds. */
  readonly hits: Record<string, number> = {};
  /** The seeds of the schedules that violated an invariant. */
  readonly violated: number[] = [];
  private readonly invariants: Record<string, number[]> = {};
  private readonly begun = performance.now();
  private schedules = 0;
  private calls = 0;
  private busiest = 0;
  private longest = 0;

  add(seed: number, { violations, hits, calls, busiest, settlingMinutes }: ScheduleOutcome): void {
    this.schedules += 1;
    this.calls += calls;
    this.busiest = Math.max(this.busiest, busiest);
    this.longest = Math.max(this.longest, settlingMinutes);
    for (const [kind, count] of Object.entries(hits)) this.hits[kind] = (this.hits[kind] ?? 0) + count;
    if (violations.length > 0) this.violated.push(seed);
    for (const name of new Set(violations.map(invariantOf))) (this.invariants[name] ??= []).push(seed);
  }

  toString(): string {
    const pace = Math.round((performance.now() - this.begun) / this.schedules);
    const faults = Object.entries(this.hits).sort(([one], [other]) => one.localeCompare(other));
    const violations = Object.entries(this.invariants).map(
      ([name, seeds]) => `  ${name}: ${seeds.length} (${seeds.slice(0, 9).join(' ')})`,
    );
    return [
      `${this.schedules} schedules, ${pace} ms each, ${this.calls} calls of handlers of changes, ${this.violated.length} with violations.`,
      ...violations,
      `At most ${this.busiest} writes of an object in a minute; at rest after ${this.longest} minutes at most.`,
      `Faults: ${faults.map(([kind, count]) => `${kind} ${count}`).join(', ')}.`,
    ].join('\n');
  }
}
