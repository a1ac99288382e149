import { ApiNotFoundError } from '../client/api/api.errors.js';
import type { WatchEnvironment } from '../client/watch/watch.environment.js';
import { errorText } from 'kube-common';
import type { KubeObject } from '../objects/kube-object.js';
import { resourceUrl } from '../resources/resources.js';
import { CRDS } from '../watching/well-known.resources.js';
import { isOwnConversion } from './conversion.stanza.js';

/** The manager of the operator's writes in the managed fields of CRDs. */
const FIELD_MANAGER = 'nestjs-kopf';

/** Returns the path of one CRD, to be written by the operator. */
export function writePathOf(name: string): string {
  return `${resourceUrl(CRDS)}/${name}?fieldManager=${FIELD_MANAGER}`;
}

/**
 * Removes the conversion webhook from a CRD by setting the strategy to None, if the webhook is one of this library. Never rejects: failures
 * are logged.
 *
 * @param isOurs whether the webhook of the current CRD is to be removed.
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
    // Another client may register a webhook at the same moment: the condition on the version makes that a conflict, and its webhook stays.
    const { resourceVersion } = found.metadata;
    const patch = { metadata: { resourceVersion }, spec: { conversion: { strategy: 'None', webhook: null } } };
    await api.patch(writePathOf(name), 'merge', patch, options);
    logger.log(`The conversion webhook was removed from the CRD ${name}.`);
  } catch (error) {
    if (error instanceof ApiNotFoundError || signal.aborted) return;
    logger.error(`The conversion webhook could not be removed from the CRD ${name}: ${errorText(error)}`);
  }
}
