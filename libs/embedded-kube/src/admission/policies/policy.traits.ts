import { isMapping, mapping } from '../../common/json.values.js';
import type { BuiltinTraits } from '../../kinds/builtin.strategy.js';
import type { Draft } from '../../resources/kube-object.js';
import { MUTATING_BINDINGS, MUTATING_POLICIES, VALIDATING_BINDINGS, VALIDATING_POLICIES } from './policy.types.js';
import { ruledByParts } from '../../kinds/validation/kind.rules.js';
import { validatePolicyStatus } from './policy-status.validator.js';
import { validateBinding, validateMutatingPolicy, validateValidatingPolicy } from './policy.validator.js';

/** The life of policies and bindings, by `plural.group`. */
export const POLICY_TRAITS: Readonly<Record<string, BuiltinTraits>> = {
  [VALIDATING_POLICIES]: {
    generation: true,
    unconditionalUpdate: false,
    unqualifiedFinalizers: true,
    defaults: defaultPolicy,
    validate: ruledByParts(validateValidatingPolicy, validatePolicyStatus),
  },
  [MUTATING_POLICIES]: {
    generation: true,
    unconditionalUpdate: false,
    unqualifiedFinalizers: true,
    defaults: defaultPolicy,
    validate: validateMutatingPolicy,
  },
  [VALIDATING_BINDINGS]: {
    generation: true,
    unconditionalUpdate: false,
    unqualifiedFinalizers: true,
    defaults: (draft) => defaultMatch(draft, 'matchResources'),
    validate: (binding) => validateBinding(binding, true),
  },
  [MUTATING_BINDINGS]: {
    generation: true,
    unconditionalUpdate: false,
    unqualifiedFinalizers: true,
    defaults: (draft) => defaultMatch(draft, 'matchResources'),
    validate: (binding) => validateBinding(binding, false),
  },
};

function defaultPolicy(draft: Draft): void {
  defaultMatch(draft, 'matchConstraints');
  draft['spec'] = { failurePolicy: 'Fail', ...mapping(draft['spec']) };
}

function defaultMatch(draft: Draft, field: string): void {
  const spec = mapping(draft['spec']);
  const match = spec[field];
  if (!isMapping(match)) return;
  const { resourceRules, excludeResourceRules } = match;
  draft['spec'] = {
    ...spec,
    [field]: {
      matchPolicy: 'Equivalent',
      namespaceSelector: {},
      objectSelector: {},
      ...match,
      ...(Array.isArray(resourceRules) && { resourceRules: resourceRules.map(defaultRule) }),
      ...(Array.isArray(excludeResourceRules) && { excludeResourceRules: excludeResourceRules.map(defaultRule) }),
    },
  };
}

function defaultRule(rule: unknown): object {
  return { scope: '*', ...mapping(rule) };
}
