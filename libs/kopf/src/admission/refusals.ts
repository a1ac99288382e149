import { AdmissionRequestError } from '../errors/admission.errors.js';

/** A failure as Kubernetes describes it. */
export interface Refusal {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: object;
  readonly status: 'Failure';
  readonly message: string;
  readonly code: number;
}

/** Describes why a request cannot be answered by a review. Of unexpected errors nothing is told. */
export function describeRefusal(error: unknown): Refusal {
  const isExpected = error instanceof AdmissionRequestError;
  const message = isExpected ? error.message : 'The review has failed.';
  const code = isExpected ? error.status : 500;
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code };
}

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
