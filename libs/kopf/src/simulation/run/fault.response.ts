import type { KubeResponse } from '../../client/http/kube.transport.js';
import { respondWith } from '../../testing/request.recorder.js';

const REASONS: Readonly<Record<number, string>> = {
  401: 'Unauthorized',
  403: 'Forbidden',
  409: 'Conflict',
  410: 'Expired',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
};

/** Makes the answer of an API server that rejects a request. @param retryAfter the seconds that it asks to wait */
export function rejectWith(code: number, retryAfter?: number): KubeResponse {
  const status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    code,
    reason: REASONS[code] ?? 'InternalError',
    message: 'The simulation rejects the request.',
    ...(retryAfter !== undefined && { details: { retryAfterSeconds: retryAfter } }),
  };
  return respondWith(code, status, retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) });
}

/** Makes the error of a server that nothing listens at. */
export function refusedConnection(): Error {
  return Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
}

/** Makes the error of a connection that is gone. */
export function resetConnection(): Error {
  return Object.assign(new Error('The connection was reset'), { code: 'ECONNRESET' });
}
