import type { IncomingMessage } from 'node:http';
import { AdmissionRequestError } from '../review/admission.errors.js';
import { parseJson } from 'kube-common';

/**
 * Reads from the path which handler is requested.
 *
 * @param prefix the path that all webhooks are under, without a slash at its end; can be empty.
 * @returns the handler's id; empty if the request names none.
 * @throws AdmissionRequestError 404 if the path is another one, 400 if it cannot be decoded.
 */
export function readWebhookId(url: string, prefix: string): string {
  const query = url.indexOf('?');
  const path = query < 0 ? url : url.slice(0, query);
  if (!path.startsWith(prefix) || (path.length > prefix.length && path[prefix.length] !== '/')) {
    throw new AdmissionRequestError('There is nothing at this path.', 404);
  }
  try {
    return decodeURIComponent(path.slice(prefix.length + 1));
  } catch {
    throw new AdmissionRequestError('The path is not encoded properly.', 400);
  }
}

/** Reads from the query of the URL for how many seconds the API server waits: `?timeout=10s`; `undefined` if it is not there. */
export function readTimeout(url: string): number | undefined {
  const seconds = Number(/[?&]timeout=(\d+)s(?:&|$)/.exec(url)?.[1]);
  return seconds > 0 ? seconds : undefined;
}

/**
 * Checks that a request can contain a review.
 *
 * @throws AdmissionRequestError 405 for other methods than POST, 415 for other contents than JSON.
 */
export function checkRequest({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): void {
  if (method !== 'POST') throw new AdmissionRequestError('Reviews are sent with POST.', 405);
  const type = headers['content-type']?.split(';', 1)[0].trim().toLowerCase();
  // The default of curl. Pages in browsers, too, can send it to any server without its consent, but only with an origin.
  const isTyped = type === 'application/x-www-form-urlencoded' && headers.origin === undefined;
  if (type !== 'application/json' && !isTyped) {
    throw new AdmissionRequestError('The content type of reviews is application/json.', 415);
  }
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    throw new AdmissionRequestError('Compressed reviews are not accepted.', 415);
  }
}

/**
 * Parses a review.
 *
 * @throws AdmissionRequestError 400 if it is empty, or no JSON.
 */
export function parseReview(text: string): unknown {
  if (!text) throw new AdmissionRequestError('The request has no body.', 400);
  try {
    return parseJson(text);
  } catch {
    throw new AdmissionRequestError('The body is not JSON.', 400);
  }
}

/**
 * Reads the body of a request.
 *
 * @param limit in bytes; of larger bodies nothing is kept.
 * @throws AdmissionRequestError 413 if the body is larger, 400 if the connection ends before it.
 */
export function readBody(request: IncomingMessage, limit: number): Promise<string> {
  if (Number(request.headers['content-length']) > limit) return Promise.reject(tooLarge(limit));
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise((resolve, reject) => {
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      if (size <= limit) chunks.push(chunk);
      else stop(tooLarge(limit));
    };
    const onEnd = (): void => {
      // Without it, an error would be created for each request, which is expensive.
      request.off('close', onGone);
      resolve((chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)).toString('utf8'));
    };
    const onGone = (): void => stop(new AdmissionRequestError('The request is incomplete.', 400));
    const stop = (error: AdmissionRequestError): void => {
      request.off('data', onData).off('end', onEnd).pause();
      chunks.length = 0;
      reject(error);
    };
    request.on('data', onData).once('end', onEnd).once('error', onGone).once('close', onGone);
  });
}

function tooLarge(limit: number): AdmissionRequestError {
  return new AdmissionRequestError(`The review is larger than ${limit} bytes.`, 413);
}

/** A failure, in the form of a `Status` of Kubernetes. */
export interface FailureStatus {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: object;
  readonly status: 'Failure';
  readonly message: string;
  readonly code: number;
  readonly details?: { readonly retryAfterSeconds: number };
}

/** Creates the `Status` of a request that cannot be answered by a review. It has no details of unexpected errors. */
export function createFailureStatus(error: unknown): FailureStatus {
  const isExpected = error instanceof AdmissionRequestError;
  const message = isExpected ? error.message : 'The review has failed.';
  const code = isExpected ? error.status : 500;
  const retryAfter = isExpected ? error.retryAfter : undefined;
  const details = retryAfter === undefined ? undefined : { retryAfterSeconds: retryAfter };
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    code,
    ...(details && { details }),
  };
}
