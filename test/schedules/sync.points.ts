/** A place in the operator's work at which a step can be done. */
export type SyncPoint = 'before-write' | 'after-write' | 'in-handler';

interface PendingStep {
  readonly point: SyncPoint;
  left: number;
  readonly act: () => Promise<void>;
}

/** Places in the code of the operator at which a step of a schedule can be done, beside times: the same order of events in each run. */
export class SyncPoints {
  private pending?: PendingStep;

  /** Tells whether a step waits for its point. */
  get isWaiting(): boolean {
    return this.pending !== undefined;
  }

  /** Does the step when the point is reached so many times. */
  await(point: SyncPoint, count: number, act: () => Promise<void>): void {
    this.pending = { point, left: count, act };
  }

  /** Forgets the step that waits; gives what it would have done. */
  cancel(): (() => Promise<void>) | undefined {
    const { pending } = this;
    this.pending = undefined;
    return pending?.act;
  }

  /** Called by the operator's work; returns when the step, if any was for now, is done. */
  async reach(point: SyncPoint): Promise<void> {
    const { pending } = this;
    if (pending?.point !== point || --pending.left > 0) return;
    this.pending = undefined;
    await pending.act();
  }
}
