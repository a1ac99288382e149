import { ABSENT, PRESENT, type MetadataFilter } from '../../contexts/filter-options.js';
import type { Resource } from '../../resources/resources.js';
import { createWebhookClientConfig, nameServicePath, nameWebhook } from './webhooks.js';
import type { WebhookClientConfig } from '../../reviews/webhook-client.config.js';
import type { AdmissionHandler } from '../../registry/handler.js';
import { groupBy } from 'kube-common';

/** One webhook of a configuration, in the form of the API. */
export interface Webhook {
  readonly name: string;
  readonly [field: string]: unknown;
}

/** The data that webhooks are created from. */
export interface WebhookSource {
  readonly handlers: readonly AdmissionHandler[];
  readonly resources: readonly Resource[];
  /** The end of the names of all webhooks. */
  readonly managed: string;
  readonly clientConfig: WebhookClientConfig;
}

/** The longest timeout that Kubernetes permits, in seconds. */
const TIMEOUT = 30;

/**
 * Creates the webhooks of a managed configuration: one for each handler. Several decorators with one id make one webhook if they differ
 * only in their resources and operations; otherwise, the names of the further webhooks are numbered.
 */
export function createWebhooks({ handlers, resources, managed, clientConfig }: WebhookSource): readonly Webhook[] {
  const used = new Map<string, number>();
  const drafts = handlers.map((handler) => ({ handler, common: createCommon(handler, clientConfig) }));
  const groups = groupBy(drafts, ({ handler, common }) => JSON.stringify([handler.id, common]));
  return [...groups.values()].map((group) => {
    const { handler, common } = group[0];
    const count = (used.get(handler.id) ?? 0) + 1;
    used.set(handler.id, count);
    const name = nameWebhook(count > 1 ? `${handler.id}-${count}` : handler.id, managed);
    return { name, ...common, rules: group.flatMap((draft) => createRules(draft.handler, resources)) };
  });
}

function createCommon(handler: AdmissionHandler, clientConfig: WebhookClientConfig): object {
  const { id, sideEffects, ignoreFailures, labels, matchConditions = [] } = handler;
  return {
    sideEffects: sideEffects ? 'NoneOnDryRun' : 'None',
    failurePolicy: ignoreFailures ? 'Ignore' : 'Fail',
    matchPolicy: 'Equivalent',
    rules: [],
    objectSelector: createSelector(labels),
    ...(matchConditions.length > 0 && { matchConditions }),
    clientConfig: createWebhookClientConfig(clientConfig, clientConfig.service ? nameServicePath(id) : id),
    timeoutSeconds: TIMEOUT,
    admissionReviewVersions: ['v1', 'v1beta1'],
  };
}

function createRules(
  { selector, operations, subresource }: AdmissionHandler,
  resources: readonly Resource[],
): object[] {
  return resources
    .filter((resource) => selector?.check(resource))
    .map(({ group, version, plural }) => ({
      apiGroups: [group],
      apiVersions: [version],
      resources: namesOf(plural, subresource),
      operations: operations ? [...operations] : ['*'],
      scope: '*',
    }));
}

/** Returns the names in the rule of a webhook. In Kubernetes, `*` alone does not include subresources. */
function namesOf(plural: string, subresource: string | undefined): readonly string[] {
  if (subresource === undefined) return [plural];
  return subresource === '*' ? [plural, `${plural}/*`] : [`${plural}/${subresource}`];
}

/** Creates the selector of the filters that API servers can evaluate. */
function createSelector(labels: MetadataFilter<unknown> = {}): object | null {
  const matchExpressions = Object.entries(labels).flatMap(([key, wanted]) => {
    if (typeof wanted === 'function') return [];
    if (wanted === PRESENT) return [{ key, operator: 'Exists' }];
    if (wanted === ABSENT) return [{ key, operator: 'DoesNotExist' }];
    return [{ key, operator: 'In', values: [String(wanted)] }];
  });
  return matchExpressions.length > 0 ? { matchExpressions } : null;
}
