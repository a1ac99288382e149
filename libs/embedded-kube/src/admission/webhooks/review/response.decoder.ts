import { yamlLibrary } from '../../../common/yaml.library.js';
import { isMapping } from '../../../common/json.values.js';
import type { WebhookResponse } from '../transport/webhook.transport.js';
import type { ReviewVersion } from './admission.review.js';

/** The failures whose text does not depend on what the webhook wrote. */
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
const GROUP = 'admission.k8s.io';
const VERSIONS = ['v1', 'v1beta1'];

/**
 * Reads the HTTP answer of a webhook.
 *
 * @throws Error in the words of the real server if it is a failure, or no JSON of an object
 */
export function decodeResponse(
  { status, headers, body }: WebhookResponse,
  version: ReviewVersion,
): Readonly<Record<string, unknown>> {
  if (status < 200 || status > 206) throw new Error(failure(status, headers['content-type'], body));
  if (body === '') {
    const type = headers['content-type'] ?? 'application/json';
    throw new Error(`0-length response with status code: ${status} and content type: ${type}`);
  }
  const review = parse(body);
  if (!isMapping(review)) throw new Error(`couldn't get version/kind; json parse error: ${unmarshalError(review)}`);
  assertKind(review, version);
  assertBase64(review['response']);
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

/** Returns the message of a `Status`, if the webhook answers with one. */
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

/** Parses JSON, and anything else as YAML, as the real server does, which ignores the content type. */
function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    const isJson = /^\s*[[{]/.test(body);
    if (isJson) throw new Error(`couldn't get version/kind; json parse error: ${jsonProblem(body)}`);
  }
  try {
    return yamlLibrary().load(body);
  } catch {
    throw new Error(`couldn't get version/kind; json parse error: ${jsonProblem(body)}`);
  }
}

/** Refuses kinds and versions that are not those of the review that was sent; none at all is refused later. */
function assertKind({ apiVersion, kind }: Readonly<Record<string, unknown>>, version: ReviewVersion): void {
  if (typeof apiVersion !== 'string' || typeof kind !== 'string' || !apiVersion || !kind) return;
  const [group, given] = apiVersion.split('/');
  if (group !== GROUP || !VERSIONS.includes(given ?? '') || kind !== 'AdmissionReview') {
    const scheme = 'scheme "pkg/runtime/scheme.go:111"';
    throw new Error(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in ${scheme}`,
    );
  }
  if (given !== version) {
    throw new Error(`converting (${given}.AdmissionReview) to (${version}.AdmissionReview): unknown conversion`);
  }
}

function assertBase64(response: unknown): void {
  const patch = isMapping(response) ? response['patch'] : undefined;
  if (typeof patch !== 'string') return;
  const wrong = /[^A-Za-z0-9+/]/.exec(patch.replace(/={1,2}$/, ''));
  if (wrong || patch.length % 4 !== 0) {
    throw new Error(`illegal base64 data at input byte ${wrong ? wrong.index : patch.length - (patch.length % 4)}`);
  }
}

function unmarshalError(value: unknown): string {
  const type = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  return `json: cannot unmarshal ${type} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`;
}

/** Describes why a text is no JSON in the words of the real server, as far as its beginning shows it. */
export function jsonProblem(text: string): string {
  const first = text.trimStart()[0];
  if (first === undefined || first === '{' || first === '[') return 'unexpected end of JSON input';
  return `invalid character '${first}' looking for beginning of value`;
}
