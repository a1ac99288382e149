import type { KubeObject } from '../objects/kube-object.js';
import type { FieldTransformation } from '../objects/patch-content.js';

const FINALIZERS = ['metadata', 'finalizers'] as const;

/** Whether the object is being deleted. It exists only as long as it has finalizers. */
export function isDeletionOngoing(body: KubeObject): boolean {
  return (body.metadata?.deletionTimestamp ?? null) !== null;
}

/** Whether the object has the finalizer or a former name of it, so that the API server does not delete it before the operator agrees. */
export function isDeletionBlocked(body: KubeObject, finalizer: string, formers: readonly string[] = []): boolean {
  const present = body.metadata?.finalizers;
  if (!present) return false;
  return present.includes(finalizer) || hasFormerFinalizer(body, formers);
}

/** Whether the object has a former name of the finalizer. */
export function hasFormerFinalizer({ metadata }: KubeObject, formers: readonly string[]): boolean {
  return formers.length > 0 && (metadata?.finalizers?.some((name) => formers.includes(name)) ?? false);
}

/**
 * Creates a transformation for `patch.transform()` that adds the finalizer and removes its former names, unless the object is being
 * deleted: the API server then rejects new finalizers.
 */
export function blockDeletion(finalizer: string, formers: readonly string[] = []): FieldTransformation {
  return onFinalizers((body) => {
    if (isDeletionOngoing(body)) return;
    if (!isDeletionBlocked(body, finalizer)) (body.metadata.finalizers ??= []).push(finalizer);
    if (hasFormerFinalizer(body, formers)) removeFinalizers(body, formers);
  });
}

/**
 * Creates a transformation for `patch.transform()` that removes the finalizer and its former names wherever they are in the list, and the
 * list if it becomes empty.
 */
export function allowDeletion(finalizer: string, formers: readonly string[] = []): FieldTransformation {
  return onFinalizers((body) => removeFinalizers(body, [finalizer, ...formers]));
}

function removeFinalizers({ metadata }: KubeObject, names: readonly string[]): void {
  const rest = metadata.finalizers?.filter((other) => !names.includes(other));
  if (rest?.length) metadata.finalizers = rest;
  else delete metadata.finalizers;
}

function onFinalizers(transformation: (body: KubeObject) => void): FieldTransformation {
  return Object.assign(transformation, { field: FINALIZERS, isDecidedAnew: true });
}
