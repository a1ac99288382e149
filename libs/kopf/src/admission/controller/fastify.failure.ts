import { AdmissionRequestError } from '../review/admission.errors.js';

/** Describes the members that are used of the errors that Fastify's parsers throw. */
export interface FastifyFailure {
  readonly code?: string;
  readonly statusCode?: number;
}

/**
 * Translates errors of Fastify's parsers to those of the other webhook servers, so that clients get the same messages from all.
 */
export function explainFastifyFailure(failure: FastifyFailure, bodyLimit: number): unknown {
  const { code, statusCode = 500 } = failure;
  if (statusCode >= 500) return failure;
  if (statusCode === 413) return new AdmissionRequestError(`The review is larger than ${bodyLimit} bytes.`, 413);
  const isEmpty = code === 'FST_ERR_CTP_EMPTY_JSON_BODY';
  return new AdmissionRequestError(isEmpty ? 'The request has no body.' : 'The body is not JSON.', statusCode);
}
