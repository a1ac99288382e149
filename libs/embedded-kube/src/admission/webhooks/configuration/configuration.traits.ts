import type { Draft } from '../../../resources/kube-object.js';
import { mapping } from '../../../common/json.values.js';
import type { BuiltinTraits } from '../../../kinds/builtin.strategy.js';
import { MUTATING_CONFIGURATIONS, VALIDATING_CONFIGURATIONS } from './webhook.types.js';
import { validateConfiguration } from './configuration.validator.js';

const HTTPS = 443;
const TIMEOUT = 10;

/** The life of webhook configurations, by `plural.group`. */
export const CONFIGURATION_TRAITS: Readonly<Record<string, BuiltinTraits>> = {
  [MUTATING_CONFIGURATIONS]: configurationTraits({ reinvocationPolicy: 'Never' }),
  [VALIDATING_CONFIGURATIONS]: configurationTraits({}),
};

function configurationTraits(ownDefaults: object): BuiltinTraits {
  return {
    generation: true,
    countsEmpty: true,
    unconditionalUpdate: false,
    unqualifiedFinalizers: true,
    defaults: (draft) => setDefaults(draft, ownDefaults),
    validate: validateConfiguration,
  };
}

function setDefaults(draft: Draft, ownDefaults: object): void {
  const { webhooks } = draft;
  if (!Array.isArray(webhooks)) return;
  draft['webhooks'] = webhooks.map((webhook: unknown) => ({
    ...ownDefaults,
    failurePolicy: 'Fail',
    matchPolicy: 'Equivalent',
    namespaceSelector: {},
    objectSelector: {},
    timeoutSeconds: TIMEOUT,
    ...mapping(webhook),
    ...withService(mapping(mapping(webhook)['clientConfig'])),
    ...withScopes(mapping(webhook)['rules']),
  }));
}

function withService(clientConfig: Readonly<Record<string, unknown>>): object {
  const { service } = clientConfig;
  return service ? { clientConfig: { ...clientConfig, service: { port: HTTPS, ...mapping(service) } } } : {};
}

function withScopes(rules: unknown): object {
  return Array.isArray(rules) ? { rules: rules.map((rule: unknown) => ({ scope: '*', ...mapping(rule) })) } : {};
}
