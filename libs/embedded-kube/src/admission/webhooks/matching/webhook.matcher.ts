import type { ResourceRegistry } from '../../../discovery/resource.registry.js';
import { forbidden, notFound } from '../../../errors/status.errors.js';
import { resourceName, type ServedResource } from '../../../machinery/served.resource.js';
import type { LabelSelector } from '../../../selectors/label.selector.js';
import type { ObjectStore } from '../../../storage/object.store.js';
import type { AdmissionAttributes } from '../../admission.plugin.js';
import { requestHead } from '../review/request.head.js';
import type { AdmissionView } from './admission.view.js';
import type { AdmissionViews } from './admission.views.js';
import { toCelValue } from './cel.value.js';
import type { CompiledWebhook } from './compiled.webhook.js';
import { ConditionError } from './match.condition.js';

const NAMESPACES = 'namespaces';

/** Decides which webhooks are asked about a write, and in which version they see it. */
export class WebhookMatcher {
  constructor(
    private readonly store: ObjectStore,
    private readonly registry: ResourceRegistry,
  ) {}

  /**
   * @returns the objects in the version that the webhook is for; `undefined` if it is not to be asked
   * @throws StatusError 403 if a condition has no value and failures are not ignored, 404 if the namespace is gone
   */
  match(webhook: CompiledWebhook, views: AdmissionViews): AdmissionView | undefined {
    const { attributes } = views;
    const served = this.version(webhook, attributes);
    if (!served || !this.matchesNamespace(webhook.namespaceSelector, attributes)) return undefined;
    if (!matchesObject(webhook.objectSelector, attributes)) return undefined;
    const view = views.in(served);
    return webhook.conditions.length === 0 || holds(webhook, view) ? view : undefined;
  }

  private version({ rules, spec }: CompiledWebhook, attributes: AdmissionAttributes): ServedResource | undefined {
    const { served } = attributes;
    if (rules.some((rule) => rule.matches(requested(served, attributes)))) return served;
    if (spec.matchPolicy === 'Exact' || rules.length === 0) return undefined;
    const equivalents = this.registry.equivalents(served);
    if (equivalents.length === 0) return undefined;
    for (const rule of rules) {
      const found = equivalents.find((other) => rule.matches(requested(other, attributes)));
      if (found) return found;
    }
    return undefined;
  }

  private matchesNamespace(selector: LabelSelector, attributes: AdmissionAttributes): boolean {
    if (selector.isEmpty) return true;
    const { namespace, served, subresource, object } = attributes;
    const isNamespace = served.resource.plural === NAMESPACES;
    if (!namespace && !isNamespace) return true;
    if (isNamespace && object && !subresource) return selector.matches(object.metadata.labels);
    const found = this.store.collection(NAMESPACES).get('', namespace);
    if (!found) throw notFound({ group: '', name: NAMESPACES }, namespace);
    return selector.matches(found.object.metadata.labels);
  }
}

function requested({ resource }: ServedResource, { operation, subresource = '', namespace }: AdmissionAttributes) {
  const { group, version, plural } = resource;
  return { operation, group, version, plural, subresource, namespace };
}

function matchesObject(selector: LabelSelector, { object, previous }: AdmissionAttributes): boolean {
  if (selector.isEmpty) return true;
  return [object, previous].some((each) => each !== undefined && selector.matches(each.metadata?.labels));
}

/** A condition that is false decides, whatever the others are. */
function holds({ conditions, spec }: CompiledWebhook, view: AdmissionView): boolean {
  const request = toCelValue({ uid: '', ...requestHead(view), options: view.attributes.options });
  const variables = { object: view.celObject, oldObject: view.celPrevious, request };
  const problems: string[] = [];
  for (const [index, condition] of conditions.entries()) {
    try {
      if (!condition(variables)) return false;
    } catch (error) {
      if (!(error instanceof ConditionError)) throw error;
      const { expression } = spec.matchConditions![index]!;
      problems.push(`expression '${expression.trim()}' resulted in error: ${error.message}`);
    }
  }
  if (problems.length === 0) return true;
  if (spec.failurePolicy === 'Ignore') return false;
  const { served, name } = view.attributes;
  throw forbidden(resourceName(served), name, problems.length === 1 ? problems[0]! : `[${problems.join(', ')}]`);
}
