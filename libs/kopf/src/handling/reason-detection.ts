import { Reason } from '../contexts/reason.js';
import type { ObjectDiff } from '../objects/diffs.js';
import type { WatchEvent } from '../objects/kube-object.js';
import { isDeletionBlocked, isDeletionOngoing } from '../state/finalizers.js';

/** Holds the facts that the reason is detected from. */
export interface ReasonEvidence {
  readonly event: WatchEvent;
  readonly finalizer: string;
  /** Names that the finalizer had before. @default none */
  readonly formerFinalizers?: readonly string[];
  /** Is true if the object was ever handled. */
  readonly isHandled: boolean;
  readonly diff: ObjectDiff;
  readonly initial: boolean;
}

/**
 * Detects what an event means. The order of the questions is the contract: a deletion comes before a creation,
 * a creation before a change; an object that was never handled is created, whenever the operator noticed it.
 *
 * @returns the reason, and whether the handlers for resuming are mixed in.
 */
export function detectReason(evidence: ReasonEvidence): { reason: Reason; initial: boolean } {
  const { event, finalizer, formerFinalizers, isHandled, diff, initial } = evidence;
  if (event.type === 'DELETED') return { reason: Reason.GONE, initial };
  if (isDeletionOngoing(event.object)) {
    const isBlocked = isDeletionBlocked(event.object, finalizer, formerFinalizers);
    return { reason: isBlocked ? Reason.DELETE : Reason.FREE, initial };
  }
  if (!isHandled) return { reason: Reason.CREATE, initial: false };
  if (diff.length > 0) return { reason: Reason.UPDATE, initial };
  return { reason: initial ? Reason.RESUME : Reason.NOOP, initial };
}
