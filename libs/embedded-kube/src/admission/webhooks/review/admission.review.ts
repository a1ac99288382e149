import { isMapping, mapping } from '../../../common/json.values.js';
import { type AdmissionView, requestHead } from '../matching/admission.view.js';

/** The versions of reviews that can be sent. */
export type ReviewVersion = 'v1' | 'v1beta1';

/** Writes the review of a write; objects that are JSON already are not made again. */
export function reviewText(version: ReviewVersion, uid: string, view: AdmissionView): string {
  const head = JSON.stringify({ uid, ...requestHead(view) }).slice(1, -1);
  const options = JSON.stringify(view.attributes.options);
  const request = `${head},"object":${view.objectJson},"oldObject":${view.previousJson},"options":${options}`;
  return `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/${version}","request":{${request}}}`;
}

/** The decision of a webhook about a write. */
export interface ReviewResponse {
  readonly allowed: boolean;
  /** The `Status` that explains a denial. */
  readonly status: Readonly<Record<string, unknown>> | undefined;
  /** The text of a JSON patch; empty if there is none. */
  readonly patch: string;
  readonly patchType: string;
  readonly warnings: readonly string[];
}

/** The error for an answer that is no valid review. */
export class InvalidResponseError extends Error {
  override readonly name = 'InvalidResponseError';
}

/**
 * Checks the answer of a webhook.
 *
 * @param review the decoded answer
 * @throws InvalidResponseError in the words of the real server
 */
export function verifyResponse(
  review: Readonly<Record<string, unknown>>,
  version: ReviewVersion,
  uid: string,
  mutating: boolean,
): ReviewResponse {
  const { response } = review;
  if (!isMapping(response)) throw new InvalidResponseError('webhook response was absent');
  if (version === 'v1') {
    verifyIdentity(review, response, uid);
    verifyPatch(response, mutating);
  }
  const patch = mutating ? decodePatch(response['patch']) : '';
  const patchType = version === 'v1' ? text(response['patchType']) : patch && 'JSONPatch';
  return {
    allowed: response['allowed'] === true,
    status: isMapping(response['status']) ? mapping(response['status']) : undefined,
    patch,
    patchType,
    warnings: Array.isArray(response['warnings']) ? response['warnings'].map(String) : [],
  };
}

function verifyIdentity(
  { apiVersion, kind }: Readonly<Record<string, unknown>>,
  response: Readonly<Record<string, unknown>>,
  uid: string,
): void {
  const actual = text(response['uid']);
  if (actual !== uid) {
    throw new InvalidResponseError(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(actual)}`);
  }
  const expected = 'admission.k8s.io/v1, Kind=AdmissionReview';
  const given = `${text(apiVersion) || '/'}, Kind=${text(kind)}`;
  if (given !== expected) throw new InvalidResponseError(`expected webhook response of ${expected}, got ${given}`);
}

function verifyPatch({ patch, patchType }: Readonly<Record<string, unknown>>, mutating: boolean): void {
  const hasType = patchType !== undefined && patchType !== null;
  if (!mutating) {
    if (patch) throw new InvalidResponseError('validating webhook may not return response.patch');
    if (hasType) throw new InvalidResponseError('validating webhook may not return response.patchType');
    return;
  }
  if (patch && !hasType) throw new InvalidResponseError('webhook returned response.patch but not response.patchType');
  if (!patch && hasType) throw new InvalidResponseError('webhook returned response.patchType but not response.patch');
  if (patchType === '') throw new InvalidResponseError('webhook returned invalid response.patchType of ""');
}

function decodePatch(patch: unknown): string {
  return typeof patch === 'string' ? Buffer.from(patch, 'base64').toString('utf8') : '';
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
