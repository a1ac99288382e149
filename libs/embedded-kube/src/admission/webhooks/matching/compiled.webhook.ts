import { type LabelSelector, labelSelectorOf } from '../../../selectors/label.selector.js';
import type { WebhookConfiguration, WebhookSpec } from '../configuration/webhook.types.js';
import { compileCondition, type Condition } from '../conditions/match.condition.js';
import { WebhookRule } from './webhook.rule.js';

/** A webhook as it is asked, made once for each version of its configuration. */
export interface CompiledWebhook {
  readonly spec: WebhookSpec;
  /** A key that differs from that of every other webhook, in all configurations. */
  readonly key: string;
  readonly rules: readonly WebhookRule[];
  readonly namespaceSelector: LabelSelector;
  readonly objectSelector: LabelSelector;
  readonly conditions: readonly Condition[];
  /** The certificates of authorities, in PEM. */
  readonly caBundle: string | undefined;
}

/** Returns the webhooks of a configuration, in their order. */
export function compileConfiguration({ metadata, webhooks }: WebhookConfiguration): CompiledWebhook[] {
  return (webhooks ?? []).map((spec, index) => ({
    spec,
    key: `${metadata.name}/${spec.name}/${index}`,
    rules: (spec.rules ?? []).map((rule) => new WebhookRule(rule)),
    namespaceSelector: labelSelectorOf(spec.namespaceSelector ?? {}),
    objectSelector: labelSelectorOf(spec.objectSelector ?? {}),
    conditions: (spec.matchConditions ?? []).map(({ expression }) => compileCondition(expression.trim())),
    caBundle: spec.clientConfig.caBundle && Buffer.from(spec.clientConfig.caBundle, 'base64').toString('utf8'),
  }));
}
