import { AdmissionRequestError } from './admission.errors.js';
import type { AdmissionReview } from '../../reviews/admission.review.js';
import { isMap, type JsonMap } from 'kube-common';

const VERSIONS = ['admission.k8s.io/v1', 'admission.k8s.io/v1beta1'];
const OPERATIONS = ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'];

/**
 * Checks that an input is a review that can be answered, with everything that handlers and filters rely on.
 *
 * @throws AdmissionRequestError with the status 400 if it is not.
 */
export function checkReview(input: unknown): AdmissionReview {
  if (!isMap(input)) throw bad('The admission review is not an object.');
  if (!isAbsent(input.kind) && input.kind !== 'AdmissionReview') throw bad(`This is no AdmissionReview.`);
  if (!isAbsent(input.apiVersion) && !VERSIONS.includes(input.apiVersion as string)) {
    throw bad(`The admission review must be of ${VERSIONS.join(' or ')}.`);
  }
  const { request } = input;
  if (!isMap(request)) throw bad('The admission review has no request.');
  checkRequest(request);
  return input as unknown as AdmissionReview;
}

function checkRequest(request: JsonMap): void {
  if (typeof request.uid !== 'string' || request.uid === '') throw missing('uid');
  if (!OPERATIONS.includes(request.operation as string)) {
    throw bad(`The operation of the admission request must be one of ${OPERATIONS.join(', ')}.`);
  }
  checkResource(request.resource);
  if (!isMap(request.userInfo)) throw missing('userInfo');
  for (const name of ['subResource', 'name', 'namespace']) {
    if (!isAbsent(request[name]) && typeof request[name] !== 'string') throw bad(`${name} must be a string.`);
  }
  if (!isAbsent(request.dryRun) && typeof request.dryRun !== 'boolean') throw bad('dryRun must be true or false.');
  if (isAbsent(request.object) && isAbsent(request.oldObject)) throw missing('object');
  checkObject('object', request.object);
  checkObject('oldObject', request.oldObject);
}

function checkResource(resource: unknown): void {
  if (!isMap(resource)) throw missing('resource');
  for (const name of ['group', 'version', 'resource']) {
    if (typeof resource[name] !== 'string') throw missing(`resource.${name}`);
  }
}

function checkObject(name: string, object: unknown): void {
  if (isAbsent(object)) return;
  if (!isMap(object)) throw bad(`${name} must be an object.`);
  const { metadata } = object;
  if (isAbsent(metadata)) return;
  if (!isMap(metadata)) throw bad(`${name}.metadata must be an object.`);
  for (const field of ['labels', 'annotations']) {
    if (metadata[field] !== undefined && !isMap(metadata[field]))
      throw bad(`${name}.metadata.${field} must be an object.`);
  }
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

function missing(field: string): AdmissionRequestError {
  return bad(`The admission request has no ${field}.`);
}

function bad(message: string): AdmissionRequestError {
  return new AdmissionRequestError(message, 400);
}
