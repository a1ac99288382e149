import { AdmissionRequestError } from '../admission/review/admission.errors.js';
import type { ConversionReview, ConversionReviewAnswer } from '../reviews/conversion.review.js';
import { isMap } from 'kube-common';
import type { KubeObject } from '../objects/kube-object.js';
import { groupOf } from '../resources/resources.js';

const VERSIONS = ['apiextensions.k8s.io/v1', 'apiextensions.k8s.io/v1beta1'];

/**
 * Checks that the input is a review that can be answered.
 *
 * @throws AdmissionRequestError with the status 400 if it is none.
 */
export function checkConversionReview(input: unknown): ConversionReview {
  if (!isMap(input)) throw bad('The conversion review is not an object.');
  const { kind = 'ConversionReview', apiVersion = VERSIONS[0], request } = input;
  if (kind !== 'ConversionReview') throw bad('This is no ConversionReview.');
  if (!VERSIONS.includes(apiVersion as string)) throw bad(`The conversion review must be of ${VERSIONS.join(' or ')}.`);
  if (!isMap(request)) throw bad('The conversion review has no request.');
  const { uid, desiredAPIVersion, objects } = request;
  if (typeof uid !== 'string' || uid === '') throw bad('The conversion request has no uid.');
  if (typeof desiredAPIVersion !== 'string' || !/^[^/]+\/[^/]+$/.test(desiredAPIVersion)) {
    throw bad('The desiredAPIVersion of the conversion request must be a group and a version.');
  }
  if (!Array.isArray(objects)) throw bad('The conversion request has no list of objects.');
  const group = groupOf(desiredAPIVersion);
  objects.forEach((object: unknown, index) => {
    const isObject = isMap(object) && typeof object.kind === 'string' && isMap(object.metadata);
    if (!isObject) throw bad(`The object ${index} of the conversion request must have a kind and metadata.`);
    if (typeof object.apiVersion !== 'string' || groupOf(object.apiVersion) !== group) {
      throw bad(`The object ${index} of the conversion request must be of the group ${group}.`);
    }
  });
  return input as unknown as ConversionReview;
}

/** Returns the version of an API version: `v1` of `example.com/v1`. */
export function versionOf(apiVersion: string): string {
  return apiVersion.slice(apiVersion.indexOf('/') + 1);
}

/**
 * Creates the answer to a review, of the same version and kind.
 *
 * @param result the objects in the order of the request, or the reason why they could not be converted.
 */
export function createConversionAnswer(
  { apiVersion = VERSIONS[0], kind = 'ConversionReview', request: { uid } }: ConversionReview,
  result: readonly KubeObject[] | string,
): ConversionReviewAnswer {
  const response =
    typeof result === 'string'
      ? { uid, result: { status: 'Failure' as const, message: result }, convertedObjects: [] }
      : { uid, result: { status: 'Success' as const }, convertedObjects: result };
  return { apiVersion, kind, response };
}

function bad(message: string): AdmissionRequestError {
  return new AdmissionRequestError(message, 400);
}
