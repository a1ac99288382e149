import type { AdmissionAttributes } from '../../machinery/write.admission.js';
import type { ResourceRegistry } from '../../resources/resource.registry.js';
import type { ServedResource } from '../../resources/served.resource.js';
import { labelSelectorOf } from '../../selectors/label.selector.js';
import type { ObjectStore } from '../../storage/object.store.js';
import { matchesNamespace, matchesObject } from '../webhooks/matching/selector.matching.js';
import { isExempt, requested } from '../webhooks/matching/webhook.source.js';
import type { KubeObject } from '../../resources/kube-object.js';
import type { CompiledBinding, CompiledMatch, CompiledPolicy, CompiledResourceRule } from './compiled.policy.js';

/** The error for a policy or a binding that cannot be evaluated, because it is configured wrongly. */
export class PolicyConfigurationError extends Error {
  override readonly name = 'PolicyConfigurationError';
}

/** The match of policies and bindings with a write, and the parameters for them. */
export class PolicyMatcher {
  constructor(
    private readonly store: ObjectStore,
    private readonly registry: ResourceRegistry,
  ) {}

  /** @returns the version in which the policy is to see the objects; `undefined` if it is not for the write */
  match({ match }: CompiledPolicy, attributes: AdmissionAttributes): ServedResource | undefined {
    return isExempt(attributes) ? undefined : this.version(match, attributes);
  }

  matchesBinding({ match }: CompiledBinding, attributes: AdmissionAttributes): boolean {
    return !match || this.version(match, attributes) !== undefined;
  }

  /**
   * Finds the parameters that a binding names.
   *
   * @returns `[undefined]` if the policy has none
   * @throws PolicyConfigurationError
   */
  params(
    { spec: { paramKind } }: CompiledPolicy,
    { spec: { paramRef } }: CompiledBinding,
    { namespace }: AdmissionAttributes,
  ): readonly (KubeObject | undefined)[] {
    if (!paramKind) return [undefined];
    const served = this.registry.findKind(paramKind.apiVersion, paramKind.kind);
    if (!served) {
      const [version, group = ''] = paramKind.apiVersion.split('/').reverse();
      const name = `${group}/${version}, Kind=${paramKind.kind}`;
      throw new PolicyConfigurationError(`failed to find resource referenced by paramKind: '${name}'`);
    }
    if (!paramRef) return [undefined];
    const { namespaced } = served.resource;
    if (!namespaced && paramRef.namespace) {
      throw new PolicyConfigurationError('paramRef.namespace must not be provided for a cluster-scoped `paramKind`');
    }
    const home = namespaced ? paramRef.namespace || namespace : '';
    if (namespaced && !home) {
      const problem = 'cannot use namespaced paramRef in policy binding that matches cluster-scoped resources';
      throw new PolicyConfigurationError(problem);
    }
    const collection = this.store.collection(served.storageKey);
    const selector = labelSelectorOf(paramRef.selector ?? {});
    const found = paramRef.name
      ? [collection.get(home, paramRef.name)].flatMap((each) => each ?? [])
      : collection.list(home).filter(({ object }) => selector.matches(object.metadata.labels));
    if (found.length === 0 && paramRef.parameterNotFoundAction === 'Deny') {
      const problem = 'no params found for policy binding with `Deny` parameterNotFoundAction';
      throw new PolicyConfigurationError(problem);
    }
    return found.map(({ object }) => served.fromStorage(object));
  }

  private version(match: CompiledMatch, attributes: AdmissionAttributes): ServedResource | undefined {
    if (!matchesNamespace(this.store, match.namespaceSelector, attributes)) return undefined;
    if (!matchesObject(match.objectSelector, attributes)) return undefined;
    const { served } = attributes;
    const equivalents = match.matchPolicy === 'Exact' ? [] : this.registry.equivalents(served);
    const find = (rules: readonly CompiledResourceRule[]): ServedResource | undefined =>
      [served, ...equivalents].find((each) => rules.some((rule) => ruleMatches(rule, each, attributes)));
    if (find(match.excluded)) return undefined;
    return match.rules.length === 0 ? served : find(match.rules);
  }
}

function ruleMatches(
  { rule, names }: CompiledResourceRule,
  served: ServedResource,
  attributes: AdmissionAttributes,
): boolean {
  if (!rule.matches(requested(served, attributes))) return false;
  return names.length === 0 || names.includes(attributes.name);
}
