import { AdmissionRequestError } from '../../../admission/review/admission.errors.js';
import type { PatchMessage } from '../../../diagnostics/channels.js';
import type { OperatorEvent } from '../../event-log/operator.event.js';
import type { KubeObject } from '../../../objects/kube-object.js';
import { REDACTED } from '../../../objects/redaction.js';
import type { Resource } from '../../../resources/resources.js';
import type { ObjectIdentity } from '../../inspection.types.js';
import { referTo } from '../../objects/object.reference.js';
import { LAST_APPLIED } from '../../objects/shown.object.js';

/** The longest values that are shown in differences, in characters. */
const LONGEST_VALUE = 1000;

/** Returns the text for an object in a sentence. */
export function nameObject({ kind, namespace, name }: ObjectIdentity): string {
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}

/** Makes the reference to an object in an event, without the uid, which no reader needs. */
export function toEventObject({ uid: _uid, ...object }: ObjectIdentity): OperatorEvent['object'] {
  return object;
}

/** Returns the text for the delay until the next attempt. */
export function describeDelay(delay: number | undefined): string {
  return delay ? ` in ${Math.round(delay)} s` : '';
}

/** Returns the text for the outcome of a patch of an object. */
export function describePatch(object: ObjectIdentity, outcome: PatchMessage['outcome']): string {
  const ended = {
    stored: 'was stored',
    gone: 'came too late: the object has gone',
    conflict: 'has met with a conflict',
    rejected: 'was rejected by the API server',
    failed: 'could not be sent',
  }[outcome];
  return `The patch of ${nameObject(object)} ${ended}`;
}

/** Returns the reason why a review has no answer. Unexpected errors are left out, as they can quote the object, which can be a Secret. */
export function describeReviewError(error: unknown): string | undefined {
  if (error === undefined) return undefined;
  return error instanceof AdmissionRequestError ? error.message : 'The review has failed; the log says why.';
}

/** Cuts long values of a difference, and leaves out the copy of the object that kubectl keeps in an annotation. */
export function cutValues({ path, old, new: now }: { path: readonly string[]; old: unknown; new: unknown }) {
  if (path.includes(LAST_APPLIED)) return { path, old: old && REDACTED, new: now && REDACTED };
  return { path, old: cutValue(old), new: cutValue(now) };
}

function cutValue(value: unknown): unknown {
  return typeof value === 'string' && value.length > LONGEST_VALUE ? `${value.slice(0, LONGEST_VALUE)}…` : value;
}

/** Makes the reference to the object of a channel's message, if it is about one. */
export function referenceOfMessage(
  resource: Resource | undefined,
  body: KubeObject | undefined,
): ObjectIdentity | undefined {
  return resource && body && referTo(resource, body.metadata);
}
