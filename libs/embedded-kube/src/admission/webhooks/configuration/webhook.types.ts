import type { KubeObject } from '../../../resources/kube-object.js';
import type { LabelSelectorObject } from '../../../selectors/label.selector.js';

/** The collections that hold the configurations. */
export const MUTATING_CONFIGURATIONS = 'mutatingwebhookconfigurations.admissionregistration.k8s.io';
export const VALIDATING_CONFIGURATIONS = 'validatingwebhookconfigurations.admissionregistration.k8s.io';

/** A condition on the requests that a webhook is for. */
export interface WebhookRuleSpec {
  readonly operations: readonly string[];
  readonly apiGroups: readonly string[];
  readonly apiVersions: readonly string[];
  readonly resources: readonly string[];
  readonly scope?: string;
}

/** The address of a webhook: a URL or a service. */
export interface WebhookClientConfig {
  readonly url?: string;
  readonly service?: ServiceReference;
  /** The certificates of authorities, in PEM, in base64. */
  readonly caBundle?: string;
}

/** A service that serves a webhook. */
export interface ServiceReference {
  readonly namespace: string;
  readonly name: string;
  readonly path?: string;
  readonly port?: number;
}

/** A condition in CEL. */
export interface MatchConditionSpec {
  readonly name: string;
  readonly expression: string;
}

/** A webhook of a configuration, with its defaults. */
export interface WebhookSpec {
  readonly name: string;
  readonly clientConfig: WebhookClientConfig;
  readonly rules?: readonly WebhookRuleSpec[];
  readonly failurePolicy?: 'Fail' | 'Ignore';
  readonly matchPolicy?: 'Exact' | 'Equivalent';
  readonly namespaceSelector?: LabelSelectorObject;
  readonly objectSelector?: LabelSelectorObject;
  readonly sideEffects?: string;
  readonly timeoutSeconds?: number;
  readonly admissionReviewVersions: readonly string[];
  readonly matchConditions?: readonly MatchConditionSpec[];
  readonly reinvocationPolicy?: 'Never' | 'IfNeeded';
}

/** A configuration of mutating or of validating webhooks. */
export interface WebhookConfiguration extends KubeObject {
  readonly webhooks?: readonly WebhookSpec[];
}
