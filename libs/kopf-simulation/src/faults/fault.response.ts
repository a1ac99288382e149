import type { KubeResponse } from 'kube-common';
import { respondWith } from 'nestjs-kopf/testing';

const REASONS: Readonly<Record<number, string>> = {
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  410: 'Expired',
  413: 'RequestEntityTooLarge',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
};

/** The reason and message by which an API server rejects a request. */
export interface RejectionText {
  readonly message?: string;
  /** @default the message of the status code */
  readonly reason?: string;
  readonly causes?: readonly { readonly reason?: string; readonly message: string; readonly field?: string }[];
}

/** Creates the error response of an API server. @param retryAfter the seconds of its `Retry-After` header */
export function rejectWith(
  code: number,
  retryAfter?: number,
  { message = 'The simulation rejects the request.', reason, causes }: RejectionText = {},
): KubeResponse {
  const details = {
    ...(causes && { causes }),
    ...(retryAfter !== undefined && { retryAfterSeconds: retryAfter }),
  };
  const status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    code,
    reason: reason ?? REASONS[code] ?? 'InternalError',
    message,
    ...(Object.keys(details).length > 0 && { details }),
  };
  return respondWith(code, status, retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) });
}

/** Creates the error of a refused connection. */
export function refusedConnection(): Error {
  return Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
}

/** Creates the error of a connection that is reset. */
export function resetConnection(): Error {
  return Object.assign(new Error('The connection was reset'), { code: 'ECONNRESET' });
}
