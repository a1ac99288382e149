import { CelCompilationError } from '../../cel/cel.environment.js';
import type { CostPace } from '../../cel/evaluation/cost.budget.js';
import { CelEvaluationError } from '../../cel/values/cel.error.js';
import type { AdmissionAttributes } from '../../machinery/write.admission.js';
import type { KubeObject } from '../../resources/kube-object.js';
import type { ServedResource } from '../../resources/served.resource.js';
import type { ObjectStore } from '../../storage/object.store.js';
import type { AdmissionView } from '../webhooks/matching/admission.view.js';
import type { Authorizer } from '../../machinery/authorizer.js';
import type { CompiledBinding, CompiledExpressions, CompiledPolicy } from './compiled.policy.js';
import { PolicyEvaluation } from './policy.evaluation.js';
import { PolicyConfigurationError, type PolicyMatcher } from './policy.matcher.js';
import type { PolicySource } from './policy.source.js';

/** A policy that is for a write, by one of its bindings and with one set of parameters. */
export interface PolicyInvocation {
  readonly policy: CompiledPolicy;
  readonly binding: CompiledBinding;
  /** The resource in the version in which the policy is to see the objects. */
  readonly served: ServedResource;
  readonly params: KubeObject | undefined;
}

/** The reason why a policy rejects a write, or cannot be evaluated. */
export interface PolicyProblem {
  readonly policy: CompiledPolicy;
  readonly binding: CompiledBinding;
  readonly message: string;
}

/** The choice of policies for a write, and the preparation of their evaluation. */
export class PolicyDispatcher {
  constructor(
    private readonly source: PolicySource,
    private readonly matcher: PolicyMatcher,
    private readonly store: ObjectStore,
    private readonly authorizer: Authorizer,
  ) {}

  get isIdle(): boolean {
    return this.source.policies.length === 0;
  }

  /** @param report called with problems of policies that do not ignore failures */
  invocations(attributes: AdmissionAttributes, report: (problem: PolicyProblem) => void): PolicyInvocation[] {
    return this.source.policies.flatMap((policy) => {
      const served = this.matcher.match(policy, attributes);
      if (!served) return [];
      return policy.bindings.flatMap((binding) => {
        if (!this.matcher.matchesBinding(binding, attributes)) return [];
        try {
          const all = this.matcher.params(policy, binding, attributes);
          return all.map((params) => ({ policy, binding, served, params }));
        } catch (error) {
          if (!(error instanceof PolicyConfigurationError)) throw error;
          const message = `failed to configure binding: ${error.message}`;
          if (policy.spec.failurePolicy !== 'Ignore') report({ policy, binding, message });
          return [];
        }
      });
    });
  }

  /**
   * @returns what is needed to evaluate the policy; `undefined` if a condition is false
   * @throws CelEvaluationError, CelCompilationError
   */
  begin(
    invocation: PolicyInvocation,
    view: AdmissionView,
    pace: CostPace,
  ): { readonly evaluation: PolicyEvaluation; readonly expressions: CompiledExpressions } | undefined {
    const evaluation = this.evaluation(invocation, view, pace);
    return evaluation.matches() ? { evaluation, expressions: invocation.policy.expressions() } : undefined;
  }

  /** Returns an evaluation of the policy for the object as it is now. @throws CelCompilationError */
  evaluation({ policy, params }: PolicyInvocation, view: AdmissionView, pace: CostPace): PolicyEvaluation {
    const namespace = this.namespaceOf(view.attributes);
    const context = { params, namespace, authorizer: this.authorizer, pace };
    return new PolicyEvaluation(view, policy.expressions(), context);
  }

  private namespaceOf({ namespace, served }: AdmissionAttributes): KubeObject | undefined {
    if (!namespace || served.storageKey === 'namespaces') return undefined;
    return this.store.collection('namespaces').get('', namespace)?.object;
  }
}

/** Whether an error comes from an expression; all others are bugs. */
export function isExpressionError(error: unknown): error is Error {
  return error instanceof CelEvaluationError || error instanceof CelCompilationError;
}
