import { AdmissionRequestError } from '../review/admission.errors.js';

/** What is used of the errors of Fastify's parsers. */
export interface FastifyFailure {
  readonly code?: string;
  readonly statusCode?: number;
}

/** What Fastify's parsers complain of, in the words of the other servers of webhooks. */
export function explainFastifyFailure(failure: FastifyFailure, bodyLimit: number): unknown {
  const { code, statusCode = 500 } = failure;
  if (statusCode >= 500) return failure;
  if (statusCode === 413) return new AdmissionRequestError(`The review is larger than ${bodyLimit} bytes.`, 413);
  const isEmpty = code === 'FST_ERR_CTP_EMPTY_JSON_BODY';
  return new AdmissionRequestError(isEmpty ? 'The request has no body.' : 'The body is not JSON.', statusCode);
}
