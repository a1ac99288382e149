import type { KubeObject } from '../objects/kube-object.js';
import type { FieldTransformation } from '../objects/patch-content.js';

const FINALIZERS = ['metadata', 'finalizers'] as const;

/** Tells whether the object is being deleted: it stays only as long as finalizers block it. */
export function isDeletionOngoing(body: KubeObject): boolean {
  return (body.metadata?.deletionTimestamp ?? null) !== null;
}

/** Tells whether the object has this finalizer, so that it cannot go before the operator agrees. */
export function isDeletionBlocked(body: KubeObject, finalizer: string): boolean {
  return body.metadata?.finalizers?.includes(finalizer) ?? false;
}

/**
 * Makes a transformation for `patch.transform()` that adds the finalizer, unless it is there, or the object is being deleted
 * by now: the cluster refuses new finalizers then.
 */
export function blockDeletion(finalizer: string): FieldTransformation {
  return onFinalizers((body) => {
    if (!isDeletionBlocked(body, finalizer) && !isDeletionOngoing(body))
      (body.metadata.finalizers ??= []).push(finalizer);
  });
}

/** Makes a transformation for `patch.transform()` that removes the finalizer wherever it is in the list, and the list once empty. */
export function allowDeletion(finalizer: string): FieldTransformation {
  return onFinalizers((body) => {
    const rest = body.metadata.finalizers?.filter((other) => other !== finalizer);
    if (rest?.length) body.metadata.finalizers = rest;
    else delete body.metadata.finalizers;
  });
}

function onFinalizers(transformation: (body: KubeObject) => void): FieldTransformation {
  return Object.assign(transformation, { field: FINALIZERS, isDecidedAnew: true });
}
