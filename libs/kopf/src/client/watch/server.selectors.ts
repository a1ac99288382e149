import type { Resource } from '../../resources/resources.js';
import { collectSelectors } from '../../resources/selectors-by-resource.js';
import type { WatchingSettings } from '../../settings/client.settings.js';

/** The selectors of lists and watches in the API's syntax, which the API server evaluates. */
export interface ServerSelectors {
  /** A label selector: `app=web,tier!=cache`. */
  readonly labelSelector?: string;
  /** A field selector: `metadata.name=web`. */
  readonly fieldSelector?: string;
  /** A shard selector: `shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')`. */
  readonly shardSelector?: string;
}

/**
 * Collects the selectors that the settings have for a resource, and joins them with others: as in Kopf, sorted, and each once. Of several
 * shard selectors, the first one counts, as they cannot be joined.
 */
export function selectOnServer(
  { labelSelectors, fieldSelectors, shardSelectors }: WatchingSettings,
  resource: Resource,
  others: Omit<ServerSelectors, 'shardSelector'> = {},
): ServerSelectors {
  return {
    labelSelector: joinSelectors(...collectSelectors(labelSelectors, resource), others.labelSelector),
    fieldSelector: joinSelectors(...collectSelectors(fieldSelectors, resource), others.fieldSelector),
    shardSelector: collectSelectors(shardSelectors, resource)[0],
  };
}

/** Joins label selectors or field selectors to one that requires all of them; `undefined` if there are none. */
export function joinSelectors(...selectors: readonly (string | undefined)[]): string | undefined {
  return [...new Set(selectors.filter(Boolean))].sort().join(',') || undefined;
}
