import { forbidden } from '../../../errors/status.errors.js';
import { resourceName } from '../../../resources/served.resource.js';
import type { ObjectStore } from '../../../storage/object.store.js';
import { type AdmissionView, type AdmissionViews, requestHead } from './admission.view.js';
import { fromJson } from '../../../cel/values/json.value.js';
import type { CompiledWebhook } from './compiled.webhook.js';
import { ConditionError } from '../conditions/match.condition.js';
import { matchesNamespace, matchesObject } from './selector.matching.js';
import type { WebhookCandidate } from './webhook.source.js';

/** Decides which webhooks are asked about a write, of those that its rules name. */
export class WebhookMatcher {
  constructor(private readonly store: ObjectStore) {}

  /**
   * @returns the objects in the version that the webhook is for; `undefined` if it is not to be asked
   * @throws StatusError 403 if a condition has no value and failures are not ignored, 404 if the namespace is gone
   */
  match({ webhook, served }: WebhookCandidate, views: AdmissionViews): AdmissionView | undefined {
    const { attributes } = views;
    if (!matchesNamespace(this.store, webhook.namespaceSelector, attributes)) return undefined;
    if (!matchesObject(webhook.objectSelector, attributes)) return undefined;
    const view = views.in(served);
    return webhook.conditions.length === 0 || holds(webhook, view) ? view : undefined;
  }
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
