import type { FieldManager } from '../../apply/field.manager.js';
import type { ResourceRegistry } from '../../resources/resource.registry.js';
import type { ObjectStore } from '../../storage/object.store.js';
import type { Authorizer } from '../../machinery/authorizer.js';
import { MutatingPolicyPlugin } from './mutating-policy.plugin.js';
import { PolicyDispatcher } from './policy.dispatcher.js';
import { PolicyMatcher } from './policy.matcher.js';
import { PolicySource } from './policy.source.js';
import { MUTATING_BINDINGS, MUTATING_POLICIES, VALIDATING_BINDINGS, VALIDATING_POLICIES } from './policy.types.js';
import { ValidatingPolicyPlugin } from './validating-policy.plugin.js';

/** The dependencies of admission by policies. */
export interface PolicyAdmissionParts {
  readonly store: ObjectStore;
  readonly registry: ResourceRegistry;
  readonly fields: FieldManager;
  /** The authorizer for expressions about what a user may do. */
  readonly authorizer: Authorizer;
}

/** Makes the plugins of mutating and of validating policies. */
export function policyPlugins({ store, registry, fields, authorizer }: PolicyAdmissionParts): {
  readonly mutating: MutatingPolicyPlugin;
  readonly validating: ValidatingPolicyPlugin;
} {
  const matcher = new PolicyMatcher(store, registry);
  const dispatcher = (policies: string, bindings: string): PolicyDispatcher => {
    const source = new PolicySource(store, policies, bindings);
    source.start();
    return new PolicyDispatcher(source, matcher, store, authorizer);
  };
  return {
    mutating: new MutatingPolicyPlugin(dispatcher(MUTATING_POLICIES, MUTATING_BINDINGS), fields),
    validating: new ValidatingPolicyPlugin(dispatcher(VALIDATING_POLICIES, VALIDATING_BINDINGS)),
  };
}
