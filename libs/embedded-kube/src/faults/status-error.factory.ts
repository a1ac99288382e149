import { StatusError } from '../errors/status.error.js';
import type { RejectionOptions } from './fault.types.js';

/** The real server's words for error responses: the reason, and the message. */
const WORDING: Readonly<Record<number, readonly [reason: string, message: string]>> = {
  400: ['BadRequest', 'the server rejected our request for an unknown reason'],
  401: ['Unauthorized', 'Unauthorized'],
  403: ['Forbidden', 'forbidden: the user is not permitted to do this'],
  404: ['NotFound', 'the server could not find the requested resource'],
  409: ['Conflict', 'the object has been modified; please apply your changes to the latest version and try again'],
  410: ['Expired', 'The resourceVersion for the provided watch is too old.'],
  413: ['RequestEntityTooLarge', 'Request entity too large: limit is 3145728'],
  422: ['Invalid', 'the server rejected our request due to an error in our request'],
  429: ['TooManyRequests', 'the server has received too many requests and has asked us to try again later'],
  500: ['InternalError', 'an error on the server has prevented the request from succeeding'],
  503: ['ServiceUnavailable', 'the server is currently unable to handle the request'],
  504: ['Timeout', 'the server was unable to return a response in the time allotted'],
};

/** Creates the error response with a status, in the real server's words where none are given. */
export function createStatusError(
  status: number,
  { retryAfter, reason, message, causes }: RejectionOptions,
): StatusError {
  const [usualReason, usualMessage] = WORDING[status] ?? ['', 'the request was rejected'];
  const given = { ...(causes && { causes }), ...(retryAfter !== undefined && { retryAfterSeconds: retryAfter }) };
  const details = Object.keys(given).length > 0 ? given : undefined;
  return new StatusError(status, reason ?? usualReason, message ?? usualMessage, details);
}
