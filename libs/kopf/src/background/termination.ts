/** The durations of a daemon's termination, in seconds. */
export interface TerminationPlan {
  /** From the request to stop to the cancellation. */
  readonly backoff: number;
  /** From the cancellation until the daemon is abandoned; `undefined` if it is never abandoned. */
  readonly timeout: number | undefined;
}

/** The stage of a termination: the daemon was asked to stop, was cancelled, or is abandoned. */
export type TerminationStage = 'signalled' | 'cancelled' | 'abandoned';

/** Computes the stage of a termination after the given seconds, and the seconds until the next stage, if there is one. */
export function stageOf(plan: TerminationPlan, age: number): { stage: TerminationStage; left?: number } {
  const { backoff, timeout } = plan;
  if (age < backoff) return { stage: 'signalled', left: backoff - age };
  if (timeout === undefined) return { stage: 'cancelled' };
  const end = backoff + timeout;
  return age < end ? { stage: 'cancelled', left: end - age } : { stage: 'abandoned' };
}
