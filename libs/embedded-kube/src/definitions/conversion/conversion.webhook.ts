import { isMapping, jsonEqual, mapping } from '../../common/json.values.js';
import { parseJson, stringifyJson } from 'kube-common';
import { StatusError } from '../../errors/status.error.js';
import type { IdentityFactory } from '../../machinery/identity.factory.js';
import type { KubeObject } from '../../resources/kube-object.js';
import type { Definition, ConversionClientConfig } from '../definition.types.js';

/** Sends a review to a webhook, and returns the text of its answer. Rejects with the reason why there is none. */
export type ConversionCall = (client: ConversionClientConfig, review: string) => Promise<string>;

/** The conversion of objects by the webhook of a definition. */
export class ConversionWebhook {
  constructor(
    private readonly call: ConversionCall,
    private readonly identities: IdentityFactory,
  ) {}

  /**
   * Converts objects of one version.
   *
   * @param to the group and version that they are to have
   * @throws StatusError 500 in the words of the real server
   */
  async convert(definition: Definition, objects: readonly KubeObject[], to: string): Promise<KubeObject[]> {
    const { clientConfig, conversionReviewVersions = [] } = definition.spec.conversion?.webhook ?? {};
    const uid = this.identities.uid();
    const version = conversionReviewVersions.find((each) => each === 'v1' || each === 'v1beta1') ?? 'v1';
    const review = {
      kind: 'ConversionReview',
      apiVersion: `apiextensions.k8s.io/${version}`,
      request: { uid, desiredAPIVersion: to, objects },
    };
    try {
      const answer = parseJson(await this.call(clientConfig ?? {}, stringifyJson(review)!));
      const converted = readResponse(answer, version, uid, objects.length);
      return converted.map((each, index) => verified(each, objects[index]!, to, index));
    } catch (error) {
      const from = `${objects[0]?.apiVersion}, Kind=${definition.spec.names.kind}`;
      const { message } = error as Error;
      const what = error instanceof InvalidObjectsError ? message : `failed: ${message}`;
      throw new StatusError(500, '', `conversion webhook for ${from} ${what}`);
    }
  }
}

/** The error for an answer of a webhook with other objects than it was asked for. */
class InvalidObjectsError extends Error {}

function readResponse(answer: unknown, version: string, uid: string, count: number): unknown[] {
  const { kind, apiVersion, response } = mapping(answer);
  if (kind !== 'ConversionReview' || apiVersion !== `apiextensions.k8s.io/${version}`) {
    throw new Error(
      `invalid conversion response: expected webhook response of apiextensions.k8s.io/${version}, Kind=ConversionReview, got ${String(apiVersion)}, Kind=${String(kind)}`,
    );
  }
  if (!isMapping(response)) throw new Error('invalid conversion response: no response provided');
  const { uid: answered, result, convertedObjects } = response;
  if (answered !== uid && (version === 'v1' || answered)) {
    throw new Error(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(answered ?? '')}`);
  }
  const { status, message } = mapping(result);
  if (status !== 'Success') {
    const unknown = `response.result.status was '${String(status ?? '')}', not 'Success'`;
    throw new Error(typeof message === 'string' && message ? message : unknown);
  }
  const objects = Array.isArray(convertedObjects) ? (convertedObjects as unknown[]) : [];
  if (objects.length !== count) {
    throw new InvalidObjectsError(`returned ${objects.length} objects, expected ${count}`);
  }
  return objects;
}

/** Checks what a webhook must leave as it is; of the metadata, it may change labels and annotations only. */
function verified(converted: unknown, original: KubeObject, to: string, index: number): KubeObject {
  const { apiVersion, kind, metadata, ...content } = mapping(converted);
  const invalid = (reason: string): Error =>
    new InvalidObjectsError(`returned invalid converted object at index ${index}: ${reason}`);
  if (apiVersion !== to) throw invalid(`invalid groupVersion (expected ${to}, received ${String(apiVersion)})`);
  if (kind !== original.kind) {
    throw invalid(`invalid kind (expected ${original.kind}, received ${String(kind)})`);
  }
  const { labels, annotations, ...rest } = mapping(metadata);
  for (const field of ['name', 'namespace', 'uid'] as const) {
    const expected = original.metadata[field];
    if (jsonEqual(rest[field] ?? '', expected ?? '')) continue;
    throw invalid(`metadata.${field} changed (expected ${String(expected)}, received ${String(rest[field])})`);
  }
  const { labels: _, annotations: __, ...kept } = original.metadata;
  const head = { ...(isMapping(annotations) && { annotations }), ...(isMapping(labels) && { labels }) };
  return { apiVersion, kind, metadata: { ...kept, ...head }, ...content } as unknown as KubeObject;
}
