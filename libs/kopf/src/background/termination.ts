/** Configures how a daemon is terminated; durations are in seconds. */
export interface TerminationPlan {
  /** Between being asked and being cancelled. */
  readonly backoff: number;
  /** Between being cancelled and being abandoned; `undefined` if it is waited for, as long as it takes. */
  readonly timeout: number | undefined;
}

/** Names the stage of a termination: the daemon was asked, it was cancelled, it is abandoned. */
export type TerminationStage = 'signalled' | 'cancelled' | 'abandoned';

/**
 * Computes the stage of a termination after the given seconds, and how many seconds are left to the next stage, if there is
 * one.
 */
export function stageOf(plan: TerminationPlan, age: number): { stage: TerminationStage; left?: number } {
  const { backoff, timeout } = plan;
  if (age < backoff) return { stage: 'signalled', left: backoff - age };
  if (timeout === undefined) return { stage: 'cancelled' };
  const end = backoff + timeout;
  return age < end ? { stage: 'cancelled', left: end - age } : { stage: 'abandoned' };
}
