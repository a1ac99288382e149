import { forbidden } from '../../../errors/status.errors.js';
import { resourceName } from '../../../resources/served.resource.js';
import type { Authorizer } from '../../../machinery/authorizer.js';
import type { ObjectStore } from '../../../storage/object.store.js';
import { type AdmissionView, type AdmissionViews, requestedAccess, requestHead } from './admission.view.js';
import { PER_CALL_LIMIT } from '../../../cel/cel.environment.js';
import { CelBudgetError, CONDITIONS_BUDGET, CostBudget } from '../../../cel/evaluation/cost.budget.js';
import { fromJson } from '../../../cel/values/json.value.js';
import type { CompiledWebhook } from './compiled.webhook.js';
import { ConditionError } from '../conditions/match.condition.js';
import { AuthorizerValue } from '../../policies/authorizer.library.js';
import { matchesNamespace, matchesObject } from './selector.matching.js';
import type { WebhookCandidate } from './webhook.source.js';

/** The match of webhooks with a write, after their rules: selectors and conditions. */
export class WebhookMatcher {
  constructor(
    private readonly store: ObjectStore,
    private readonly authorizer: Authorizer,
  ) {}

  /**
   * @returns the objects in the version that the webhook is for; `undefined` if it is not to be asked
   * @throws StatusError 403 if a condition has no value and failures are not ignored, 404 if the namespace is gone
   */
  match({ webhook, served }: WebhookCandidate, views: AdmissionViews): AdmissionView | undefined {
    const { attributes } = views;
    if (!matchesNamespace(this.store, webhook.namespaceSelector, attributes)) return undefined;
    if (!matchesObject(webhook.objectSelector, attributes)) return undefined;
    const view = views.in(served);
    return webhook.conditions.length === 0 || holds(webhook, view, this.authorizer) ? view : undefined;
  }
}

/** Whether all conditions hold; a condition that is false decides, even if others have no value. */
function holds({ conditions, spec }: CompiledWebhook, view: AdmissionView, asked: Authorizer): boolean {
  const request = fromJson({ uid: '', ...requestHead(view), options: view.attributes.options });
  const authorizer = new AuthorizerValue(asked, requestedAccess(view));
  const variables = { object: view.celObject, oldObject: view.celPrevious, request, authorizer };
  const problems: string[] = [];
  const budget = new CostBudget(CONDITIONS_BUDGET);
  let isFalse = false;
  for (const [index, condition] of conditions.entries()) {
    if (isFalse && !budget.canBeExceededBy(conditions.length - index, PER_CALL_LIMIT)) return false;
    try {
      if (!condition(variables, budget)) isFalse = true;
    } catch (error) {
      if (error instanceof CelBudgetError) {
        problems.splice(0, problems.length, error.message);
        isFalse = false;
        break;
      }
      if (!(error instanceof ConditionError)) throw error;
      const { expression } = spec.matchConditions![index]!;
      problems.push(`expression '${expression.trim()}' resulted in error: ${error.message}`);
    }
  }
  if (isFalse) return false;
  if (problems.length === 0) return true;
  if (spec.failurePolicy === 'Ignore') return false;
  const { served, name } = view.attributes;
  throw forbidden(resourceName(served), name, problems.length === 1 ? problems[0]! : `[${problems.join(', ')}]`);
}
