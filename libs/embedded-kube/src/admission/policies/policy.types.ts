import type { KubeObject } from '../../resources/kube-object.js';
import type { LabelSelectorObject } from '../../selectors/label.selector.js';
import type { MatchConditionSpec, WebhookRuleSpec } from '../webhooks/configuration/webhook.types.js';

const GROUP = 'admissionregistration.k8s.io';

/** The collections of the policies and of their bindings. */
export const VALIDATING_POLICIES = `validatingadmissionpolicies.${GROUP}`;
export const VALIDATING_BINDINGS = `validatingadmissionpolicybindings.${GROUP}`;
export const MUTATING_POLICIES = `mutatingadmissionpolicies.${GROUP}`;
export const MUTATING_BINDINGS = `mutatingadmissionpolicybindings.${GROUP}`;

/** A rule that can name single objects. */
export interface NamedRuleSpec extends WebhookRuleSpec {
  readonly resourceNames?: readonly string[];
}

/** A condition on the requests that a policy or a binding is for. */
export interface MatchResourcesSpec {
  readonly resourceRules?: readonly NamedRuleSpec[];
  readonly excludeResourceRules?: readonly NamedRuleSpec[];
  readonly namespaceSelector?: LabelSelectorObject;
  readonly objectSelector?: LabelSelectorObject;
  readonly matchPolicy?: 'Exact' | 'Equivalent';
}

/** A validation in CEL. */
export interface ValidationSpec {
  readonly expression: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
}

/** A mutation in CEL. */
export interface MutationSpec {
  readonly patchType: 'ApplyConfiguration' | 'JSONPatch';
  readonly applyConfiguration?: { readonly expression: string };
  readonly jsonPatch?: { readonly expression: string };
}

/** The specification of a policy of either sort. */
export interface PolicySpec {
  readonly paramKind?: { readonly apiVersion: string; readonly kind: string };
  readonly matchConstraints?: MatchResourcesSpec;
  readonly matchConditions?: readonly MatchConditionSpec[];
  readonly variables?: readonly { readonly name: string; readonly expression: string }[];
  readonly validations?: readonly ValidationSpec[];
  readonly auditAnnotations?: readonly { readonly key: string; readonly valueExpression: string }[];
  readonly mutations?: readonly MutationSpec[];
  readonly failurePolicy?: 'Fail' | 'Ignore';
  readonly reinvocationPolicy?: 'Never' | 'IfNeeded';
}

/** The specification of a binding, which puts a policy into effect. */
export interface BindingSpec {
  readonly policyName: string;
  readonly paramRef?: {
    readonly name?: string;
    readonly namespace?: string;
    readonly selector?: LabelSelectorObject;
    readonly parameterNotFoundAction?: 'Allow' | 'Deny';
  };
  readonly matchResources?: MatchResourcesSpec;
  readonly validationActions?: readonly string[];
}

/** Returns the specification of a stored policy or binding. */
export function specOf<Spec>(object: KubeObject): Spec {
  return (object['spec'] ?? {}) as Spec;
}
