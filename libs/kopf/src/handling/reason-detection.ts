import { Reason } from '../contexts/reason.js';
import type { ObjectDiff } from '../objects/diffs.js';
import type { WatchEvent } from '../objects/kube-object.js';
import { isDeletionBlocked, isDeletionOngoing } from '../state/finalizers.js';

/** The facts that the reason is detected from. */
export interface ReasonEvidence {
  readonly event: WatchEvent;
  readonly finalizer: string;
  /** Former names of the finalizer. @default none */
  readonly formerFinalizers?: readonly string[];
  /** Whether the object was ever handled. */
  readonly isHandled: boolean;
  readonly diff: ObjectDiff;
  readonly initial: boolean;
}

/**
 * Detects the reason of an event. The order of the checks is a contract: a deletion comes before a creation, a creation before a change. An
 * object that was never handled counts as created, whenever the operator has seen it first.
 *
 * @returns the reason, and whether the resuming handlers are called, too.
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
