import { HandlerChildrenRetry } from './handler.errors.js';
import type { HandlerMessage } from '../diagnostics/channels.js';

type Outcome = NonNullable<HandlerMessage['outcome']>;

/** The labels of outcomes, from the best to the worst. */
export const OUTCOMES = ['succeeded', 'waiting', 'ignored', 'rejected', 'retried', 'failed'] as const;

export type OutcomeLabel = (typeof OUTCOMES)[number];

/** Returns the label of an outcome: `waiting` for an attempt with unfinished sub-handlers, `rejected` for the decision of a review. */
export function outcomeLabel({ final, error, ignored, rejected }: Outcome): OutcomeLabel {
  if (error instanceof HandlerChildrenRetry) return 'waiting';
  if (rejected) return 'rejected';
  if (error) return final ? 'failed' : 'retried';
  return ignored ? 'ignored' : 'succeeded';
}

/** Whether the attempt has failed, temporarily or permanently. */
export function isFailed(outcome: Outcome): boolean {
  return outcome.error !== undefined && !outcome.rejected && !(outcome.error instanceof HandlerChildrenRetry);
}
