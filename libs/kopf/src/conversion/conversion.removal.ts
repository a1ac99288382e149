import { ApiNotFoundError } from '../client/api/api.errors.js';
import type { WatchEnvironment } from '../client/watch/watch.environment.js';
import { errorText } from 'kube-common';
import type { KubeObject } from '../objects/kube-object.js';
import { resourceUrl } from '../resources/resources.js';
import { CRDS } from '../watching/well-known.resources.js';
import { isOwnConversion } from './conversion.stanza.js';

/** Identifies the writes of the operator in the managed fields of CRDs. */
const FIELD_MANAGER = 'nestjs-kopf';

/** The path of one CRD, to be written by the operator. */
export function writePathOf(name: string): string {
  return `${resourceUrl(CRDS)}/${name}?fieldManager=${FIELD_MANAGER}`;
}

/**
 * Takes the conversion webhook out of a CRD by setting the strategy to None, if it is one of this library. Never rejects: what fails is logged.
 *
 * @param isOurs tells whether the webhook is to be removed, by the CRD as it is now.
 */
export async function removeConversion(
  name: string,
  { api, logger }: WatchEnvironment,
  signal: AbortSignal,
  isOurs: (definition: KubeObject) => boolean = () => true,
): Promise<void> {
  const options = { signal, retries: 'transient' } as const;
  try {
    const found = await api.get<KubeObject>(writePathOf(name), options);
    if (!isOwnConversion(found) || !isOurs(found)) return;
    // Somebody else may register a webhook at the same moment: then it stays.
    const { resourceVersion } = found.metadata;
    const patch = { metadata: { resourceVersion }, spec: { conversion: { strategy: 'None', webhook: null } } };
    await api.patch(writePathOf(name), 'merge', patch, options);
    logger.log(`The conversion webhook was removed from the CRD ${name}.`);
  } catch (error) {
    if (error instanceof ApiNotFoundError || signal.aborted) return;
    logger.error(`The conversion webhook could not be removed from the CRD ${name}: ${errorText(error)}`);
  }
}
