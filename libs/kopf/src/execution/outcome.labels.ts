import { HandlerChildrenRetry } from './handler.errors.js';
import type { HandlerMessage } from '../diagnostics/channels.js';

type Outcome = NonNullable<HandlerMessage['outcome']>;

/** Names how an attempt ended in labels, from the best to the worst. */
export const OUTCOMES = ['succeeded', 'waiting', 'ignored', 'rejected', 'retried', 'failed'] as const;

export type OutcomeLabel = (typeof OUTCOMES)[number];

/** Tells how an attempt ended; `waiting` is an attempt whose sub-handlers are not finished, `rejected` the decision of a review. */
export function outcomeLabel({ final, error, ignored, rejected }: Outcome): OutcomeLabel {
  if (error instanceof HandlerChildrenRetry) return 'waiting';
  if (rejected) return 'rejected';
  if (error) return final ? 'failed' : 'retried';
  return ignored ? 'ignored' : 'succeeded';
}

/** Checks whether the attempt has failed, for this time or for good. */
export function isFailed(outcome: Outcome): boolean {
  return outcome.error !== undefined && !outcome.rejected && !(outcome.error instanceof HandlerChildrenRetry);
}
