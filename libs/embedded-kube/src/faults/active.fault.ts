import type { Clock } from 'kube-common';
import type { Fault, FaultLimit } from './fault.types.js';

/** A fault that takes effect on the subjects that match it, as often as it was asked for. */
export class ActiveFault<Subject, Effect> implements Fault {
  private count = 0;
  private cancelled = false;

  private readonly times: number;
  /** The monotonic time at which it ends, in milliseconds. */
  private readonly end: number;

  constructor(
    private readonly matches: (subject: Subject) => boolean,
    readonly effect: Effect,
    { seconds, times = seconds === undefined ? 1 : Infinity }: FaultLimit,
    private readonly clock: Clock,
    /** The fault with its conditions, in words. */
    readonly description = '',
  ) {
    this.times = times;
    this.end = seconds === undefined ? Infinity : clock.monotonic() + seconds * 1000;
  }

  get hits(): number {
    return this.count;
  }

  get isOver(): boolean {
    return this.cancelled || this.count >= this.times || this.clock.monotonic() >= this.end;
  }

  /** Checks whether the subject meets the fault; if so, it counts. */
  meets(subject: Subject): boolean {
    if (this.isOver || !this.matches(subject)) return false;
    this.count += 1;
    return true;
  }

  cancel(): void {
    this.cancelled = true;
  }
}

/** Takes the effect of the oldest fault that the subject meets, and forgets the faults that are over. */
export function takeEffect<Subject, Effect>(
  faults: ActiveFault<Subject, Effect>[],
  subject: Subject,
): Effect | undefined {
  const met = faults.find((fault) => fault.meets(subject));
  for (let index = faults.length - 1; index >= 0; index -= 1) if (faults[index]!.isOver) faults.splice(index, 1);
  return met?.effect;
}
