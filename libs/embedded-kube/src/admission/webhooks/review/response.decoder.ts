import { isMapping } from '../../../machinery/draft.js';
import type { WebhookResponse } from '../transport/webhook.transport.js';

/** The failures that have a text of their own, whatever the webhook wrote. */
const MESSAGES: Readonly<Record<number, string>> = {
  400: 'the server rejected our request for an unknown reason',
  401: 'the server has asked for the client to provide credentials',
  404: 'the server could not find the requested resource',
  405: 'the server does not allow this method on the requested resource',
  409: 'the server reported a conflict',
  422: 'the server rejected our request due to an error in our request',
  429: 'the server has received too many requests and has asked us to try again later',
  503: 'the server is currently unable to handle the request',
  504: 'the server was unable to return a response in the time allotted, but may still be processing the request',
};
const OWN_WORDS = new Set([403, 406, 415]);
const TEXT_LIMIT = 2048;

/**
 * Reads the HTTP answer of a webhook.
 *
 * @throws Error in the words of the real server if it is a failure, or no JSON of an object
 */
export function decodeResponse({ status, headers, body }: WebhookResponse): Readonly<Record<string, unknown>> {
  if (status < 200 || status > 206) throw new Error(failure(status, headers['content-type'], body));
  if (body === '') {
    const type = headers['content-type'] ?? 'application/json';
    throw new Error(`0-length response with status code: ${status} and content type: ${type}`);
  }
  const mediaType = headers['content-type']?.split(';')[0]!.trim().toLowerCase();
  if (mediaType && mediaType !== 'application/json')
    throw new Error(`serializer for ${headers['content-type']} doesn't exist`);
  const review = parse(body);
  if (!isMapping(review)) throw new Error(`couldn't get version/kind; json parse error: ${unmarshalError(review)}`);
  return review;
}

function failure(status: number, contentType: string | undefined, body: string): string {
  const told = statusMessage(body);
  if (told) return told;
  const isText = !contentType || contentType.startsWith('text/');
  const text = isText ? body.slice(0, TEXT_LIMIT).trim() : 'unknown';
  if (OWN_WORDS.has(status)) return text;
  const known = MESSAGES[status];
  if (known) return known;
  if (status >= 500)
    return `an error on the server (${JSON.stringify(text)}) has prevented the request from succeeding`;
  return `the server responded with the status code ${status} but did not return more information`;
}

/** The message of a `Status`, if the webhook answers with one. */
function statusMessage(body: string): string | undefined {
  if (!body.startsWith('{')) return undefined;
  try {
    const { kind, apiVersion, status, message } = JSON.parse(body) as Record<string, unknown>;
    const isFailure = kind === 'Status' && apiVersion === 'v1' && status !== 'Success';
    return isFailure && typeof message === 'string' ? message : undefined;
  } catch {
    return undefined;
  }
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new Error(`couldn't get version/kind; json parse error: ${syntaxError(body)}`);
  }
}

function syntaxError(body: string): string {
  const first = body.trimStart()[0];
  if (first === undefined || first === '{' || first === '[') return 'unexpected end of JSON input';
  return `invalid character '${first}' looking for beginning of value`;
}

function unmarshalError(value: unknown): string {
  const type = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  return `json: cannot unmarshal ${type} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`;
}
