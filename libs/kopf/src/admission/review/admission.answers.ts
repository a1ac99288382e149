import { AdmissionError } from './admission.errors.js';
import { PermanentError, TemporaryError, RETRY_AFTER, ReviewNotReadyError } from '../../execution/handler.errors.js';
import type { AdmissionResponse, AdmissionReview, AdmissionReviewAnswer } from '../../reviews/admission.review.js';
import { applyMergePatch, deepCopy, errorText, stringifyJson } from 'kube-common';
import { type JsonPatchOperation, computeJsonPatch } from '../../objects/json-patch.js';
import type { KubeObject } from '../../objects/kube-object.js';
import { type ResourcePatch } from '../../objects/patches.js';
import { applyTransformations } from '../../objects/transformations.js';

/** The decisions of the handlers about one request. */
export interface ReviewResult {
  /** The errors of all handlers, of which the user sees one. */
  readonly errors: readonly unknown[];
  readonly warnings: readonly unknown[];
  /** The changes of the object. */
  readonly operations: readonly JsonPatchOperation[];
}

/** Creates the answer to a review, of the same version and kind. */
export function createAnswer(
  { apiVersion, kind, request }: AdmissionReview,
  result: ReviewResult,
): AdmissionReviewAnswer {
  const { errors, warnings, operations } = result;
  const allowed = errors.length === 0;
  const response: AdmissionResponse = {
    uid: request.uid,
    allowed,
    ...(warnings.length > 0 && { warnings: warnings.map(String) }),
    ...(allowed && operations.length > 0 && { patch: encode(operations), patchType: 'JSONPatch' }),
    ...(!allowed && { status: createStatus(chooseError(errors)) }),
  };
  return { apiVersion: apiVersion ?? 'admission.k8s.io/v1', kind: kind ?? 'AdmissionReview', response };
}

/** Chooses the error that the user sees: the first of those that are meant for users or, without any, the first one. */
export function chooseError(errors: readonly unknown[]): unknown {
  return errors.reduce((best, next) => (rank(next) < rank(best) ? next : best));
}

function rank(error: unknown): number {
  if (error instanceof AdmissionError) return 0;
  if (error instanceof PermanentError) return 1;
  return error instanceof TemporaryError ? 2 : 9;
}

function createStatus(error: unknown): NonNullable<AdmissionResponse['status']> {
  if (error instanceof ReviewNotReadyError) {
    const details = { retryAfterSeconds: RETRY_AFTER };
    return { message: error.message, code: 503, reason: 'ServiceUnavailable', details };
  }
  return { message: errorText(error), code: (error instanceof AdmissionError && error.status) || 500 };
}

function encode(operations: readonly JsonPatchOperation[]): string {
  return Buffer.from(stringifyJson(operations)).toString('base64');
}

/**
 * Creates the JSON patch of the changes that handlers have made to the reviewed object: their fields are merged, then their transformations
 * applied.
 */
export function createReviewPatch(body: KubeObject, patch: ResourcePatch): readonly JsonPatchOperation[] {
  const fields = patch.toMergePatch();
  const { transformations } = patch;
  if (!fields && transformations.length === 0) return [];
  let result = (fields ? applyMergePatch(body, fields) : body) as KubeObject;
  if (transformations.length > 0) result = deepCopy(result);
  applyTransformations(result, transformations);
  return computeJsonPatch(body, result);
}
