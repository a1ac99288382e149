import { CelCompilationError, type CelProgram } from '../../cel/cel.environment.js';
import type { KubeObject } from '../../resources/kube-object.js';
import { type LabelSelector, labelSelectorOf } from '../../selectors/label.selector.js';
import { WebhookRule } from '../webhooks/matching/webhook.rule.js';
import { type CompiledVariable, PolicyCompiler } from './policy.compiler.js';
import {
  type BindingSpec,
  type MatchResourcesSpec,
  type MutationSpec,
  type NamedRuleSpec,
  type PolicySpec,
  specOf,
  type ValidationSpec,
} from './policy.types.js';

/** A rule with the names of the objects that it is for; all if there are none. */
export interface CompiledResourceRule {
  readonly rule: WebhookRule;
  readonly names: readonly string[];
}

/** A condition on requests, ready to be evaluated. */
export interface CompiledMatch {
  readonly rules: readonly CompiledResourceRule[];
  readonly excluded: readonly CompiledResourceRule[];
  readonly namespaceSelector: LabelSelector;
  readonly objectSelector: LabelSelector;
  readonly matchPolicy: 'Exact' | 'Equivalent';
}

/** A validation, ready to be evaluated. */
export interface CompiledValidation {
  readonly spec: ValidationSpec;
  readonly program: CelProgram;
  readonly message?: CelProgram;
}

/** A mutation, ready to be evaluated. */
export interface CompiledMutation {
  readonly spec: MutationSpec;
  readonly program: CelProgram;
}

/** The expressions of a policy. */
export interface CompiledExpressions {
  readonly conditions: readonly CelProgram[];
  readonly variables: readonly CompiledVariable[];
  readonly validations: readonly CompiledValidation[];
  /** The values of audit annotations. */
  readonly annotations: readonly CelProgram[];
  readonly mutations: readonly CompiledMutation[];
}

/** A binding, ready to be asked. */
export interface CompiledBinding {
  readonly name: string;
  readonly spec: BindingSpec;
  /** Absent if the binding is for all that its policy is for. */
  readonly match: CompiledMatch | undefined;
}

/** A policy with the bindings that put it into effect. */
export interface CompiledPolicy {
  readonly name: string;
  readonly spec: PolicySpec;
  readonly match: CompiledMatch;
  readonly bindings: readonly CompiledBinding[];
  /** Compiles them when they are evaluated first. @throws CelCompilationError */
  readonly expressions: () => CompiledExpressions;
}

export function compilePolicy(policy: KubeObject, bindings: readonly KubeObject[]): CompiledPolicy {
  const spec = specOf<PolicySpec>(policy);
  let compiled: CompiledExpressions | undefined;
  return {
    name: policy.metadata.name ?? '',
    spec,
    match: compileMatch(spec.matchConstraints ?? {}),
    bindings: bindings.map(compileBinding),
    expressions: () => (compiled ??= compileExpressions(spec)),
  };
}

function compileBinding(binding: KubeObject): CompiledBinding {
  const spec = specOf<BindingSpec>(binding);
  const { matchResources } = spec;
  return { name: binding.metadata.name ?? '', spec, match: matchResources && compileMatch(matchResources) };
}

function compileMatch(spec: MatchResourcesSpec): CompiledMatch {
  const rules = (each: readonly NamedRuleSpec[] = []): CompiledResourceRule[] =>
    each.map((rule) => ({ rule: new WebhookRule(rule), names: rule.resourceNames ?? [] }));
  return {
    rules: rules(spec.resourceRules),
    excluded: rules(spec.excludeResourceRules),
    namespaceSelector: labelSelectorOf(spec.namespaceSelector ?? {}),
    objectSelector: labelSelectorOf(spec.objectSelector ?? {}),
    matchPolicy: spec.matchPolicy ?? 'Equivalent',
  };
}

function compileExpressions(spec: PolicySpec): CompiledExpressions {
  const { matchConditions = [], variables = [], validations = [], auditAnnotations = [], mutations = [] } = spec;
  const compiler = new PolicyCompiler(spec, mutations.length > 0);
  const conditions = matchConditions.map(({ expression }) => compiler.compile(expression.trim()));
  const compiledVariables = variables.map(({ name, expression }) => compiler.addVariable(name, expression.trim()));
  return {
    conditions,
    variables: compiledVariables,
    validations: validations.map((validation) => {
      const message = validation.messageExpression?.trim();
      const program = compiler.compile(validation.expression.trim());
      return { spec: validation, program, ...(message && { message: compiler.compile(message, false) }) };
    }),
    annotations: auditAnnotations.map(({ valueExpression }) => compiler.compile(valueExpression.trim(), false)),
    mutations: mutations.map((mutation) => ({
      spec: mutation,
      program: compiler.compile(expressionOf(mutation)),
    })),
  };
}

/** Returns the expression of a mutation of either kind. @throws CelCompilationError if there is none */
export function expressionOf({ applyConfiguration, jsonPatch }: MutationSpec): string {
  const expression = (applyConfiguration ?? jsonPatch)?.expression;
  if (expression === undefined) throw new CelCompilationError('no expression');
  return expression.trim();
}
