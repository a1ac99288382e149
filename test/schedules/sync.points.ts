/** A point of the operator's work at which a step can be done. */
export type StagePoint = 'before-write' | 'after-write' | 'in-handler';

interface Appointment {
  readonly point: StagePoint;
  left: number;
  readonly act: () => Promise<void>;
}

/** Lets steps of a schedule be done at points of the operator's work, and not only at times. */
export class Stage {
  private appointment?: Appointment;

  /** Whether a step waits for its point. */
  get isWaiting(): boolean {
    return this.appointment !== undefined;
  }

  /** Does the step when the point is reached so many times. */
  arrange(point: StagePoint, count: number, act: () => Promise<void>): void {
    this.appointment = { point, left: count, act };
  }

  /** Forgets the step that waits; gives what it would have done. */
  cancel(): (() => Promise<void>) | undefined {
    const { appointment } = this;
    this.appointment = undefined;
    return appointment?.act;
  }

  /** Called by the operator's work; returns when the step, if any was for now, is done. */
  async reach(point: StagePoint): Promise<void> {
    const { appointment } = this;
    if (appointment?.point !== point || --appointment.left > 0) return;
    this.appointment = undefined;
    await appointment.act();
  }
}
