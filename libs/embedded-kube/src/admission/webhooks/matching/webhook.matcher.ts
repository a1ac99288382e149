import { forbidden, notFound } from '../../../errors/status.errors.js';
import { resourceName } from '../../../resources/served.resource.js';
import type { LabelSelector } from '../../../selectors/label.selector.js';
import type { ObjectStore } from '../../../storage/object.store.js';
import type { AdmissionAttributes } from '../../../machinery/write.admission.js';
import { type AdmissionView, type AdmissionViews, requestHead } from './admission.view.js';
import { fromJson } from '../../../cel/values/json.value.js';
import type { CompiledWebhook } from './compiled.webhook.js';
import { ConditionError } from '../conditions/match.condition.js';
import type { WebhookCandidate } from './webhook.source.js';

const NAMESPACES = 'namespaces';

/** Decides which webhooks are asked about a write, of those that its rules name. */
export class WebhookMatcher {
  constructor(private readonly store: ObjectStore) {}

  /**
   * @returns the objects in the version that the webhook is for; `undefined` if it is not to be asked
   * @throws StatusError 403 if a condition has no value and failures are not ignored, 404 if the namespace is gone
   */
  match({ webhook, served }: WebhookCandidate, views: AdmissionViews): AdmissionView | undefined {
    const { attributes } = views;
    if (!this.matchesNamespace(webhook.namespaceSelector, attributes)) return undefined;
    if (!matchesObject(webhook.objectSelector, attributes)) return undefined;
    const view = views.in(served);
    return webhook.conditions.length === 0 || holds(webhook, view) ? view : undefined;
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

function matchesObject(selector: LabelSelector, { object, previous }: AdmissionAttributes): boolean {
  if (selector.isEmpty) return true;
  return [object, previous].some((each) => each !== undefined && selector.matches(each.metadata?.labels));
}

/** A condition that is false decides, whatever the others are. */
function holds({ conditions, spec }: CompiledWebhook, view: AdmissionView): boolean {
  const request = fromJson({ uid: '', ...requestHead(view), options: view.attributes.options });
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
