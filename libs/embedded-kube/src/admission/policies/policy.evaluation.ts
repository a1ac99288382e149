import { type CelProgram, PER_CALL_LIMIT } from '../../cel/cel.environment.js';
import {
  CelBudgetError,
  CONDITIONS_BUDGET,
  CostBudget,
  type CostPace,
  POLICY_BUDGET,
} from '../../cel/evaluation/cost.budget.js';
import { CelEvaluationError } from '../../cel/values/cel.error.js';
import { type CelType, struct } from '../../cel/values/cel.type.js';
import { CelMap, type CelValue } from '../../cel/values/cel.value.js';
import { fromJson } from '../../cel/values/json.value.js';
import type { KubeObject } from '../../resources/kube-object.js';
import type { AdmissionView } from '../webhooks/matching/admission.view.js';
import { requestedAccess, requestHead } from '../webhooks/matching/admission.view.js';
import type { Authorizer } from '../../machinery/authorizer.js';
import { AuthorizerValue } from './authorizer.library.js';
import type { CompiledExpressions } from './compiled.policy.js';
import type { CompiledVariable } from './policy.compiler.js';

/** The values that the expressions of a policy see besides the objects of a write. */
export interface PolicyContext {
  readonly params: KubeObject | undefined;
  readonly namespace: KubeObject | undefined;
  readonly authorizer: Authorizer;
  /** The cost of the policies of one write, by which other requests are served in between. */
  readonly pace: CostPace;
}

/** The evaluation of the expressions of a policy for one write and one set of parameters. */
export class PolicyEvaluation {
  private readonly values = new Map<string, CelValue>();
  private readonly variables: VariablesValue;
  /** The cost that validations and messages may have together; audit annotations and mutations have a separate budget. */
  readonly budget: CostBudget;

  constructor(
    private readonly view: AdmissionView,
    private readonly expressions: CompiledExpressions,
    private readonly context: PolicyContext,
  ) {
    this.budget = this.newBudget();
    this.variables = new VariablesValue(expressions.variables, (program) => this.run(program, this.budget));
  }

  newBudget(limit = POLICY_BUDGET): CostBudget {
    return new CostBudget(limit, this.context.pace);
  }

  /**
   * Whether all conditions hold; a condition that is false decides, even if others have no value.
   *
   * @throws CelEvaluationError if none is false, and some have no value; CelBudgetError if they cost too much
   */
  matches(): boolean {
    const { conditions } = this.expressions;
    const budget = this.newBudget(CONDITIONS_BUDGET);
    const problems: string[] = [];
    let isFalse = false;
    for (const [index, program] of conditions.entries()) {
      if (isFalse && !budget.canBeExceededBy(conditions.length - index, PER_CALL_LIMIT)) return false;
      try {
        if (this.value(program, budget) !== true) isFalse = true;
      } catch (error) {
        if (!(error instanceof CelEvaluationError) || error instanceof CelBudgetError) throw error;
        problems.push(error.message);
      }
    }
    if (isFalse) return false;
    if (problems.length === 0) return true;
    throw new CelEvaluationError(problems.length === 1 ? problems[0]! : `[${problems.join(', ')}]`);
  }

  /** @throws CelEvaluationError whose message names the expression; CelBudgetError */
  value(program: CelProgram, budget = this.budget): CelValue {
    try {
      return this.run(program, budget);
    } catch (error) {
      if (!(error instanceof CelEvaluationError) || error instanceof CelBudgetError) throw error;
      throw new CelEvaluationError(`expression '${program.expression}' resulted in error: ${error.message}`);
    }
  }

  private run(program: CelProgram, budget: CostBudget): CelValue {
    return budget.spend(PER_CALL_LIMIT, (meter) => program.evaluateWith((name) => this.find(name), meter));
  }

  private find(name: string): CelValue | undefined {
    if (name === 'variables') return this.variables;
    let value = this.values.get(name);
    if (value === undefined) this.values.set(name, (value = this.make(name)));
    return value;
  }

  private make(name: string): CelValue {
    const { view, context } = this;
    switch (name) {
      case 'object':
        return fromJson(view.object ?? null);
      case 'oldObject':
        return fromJson(view.previous ?? null);
      case 'request':
        return fromJson({ ...requestHead(view), options: view.attributes.options });
      case 'params':
        return fromJson(context.params ?? null);
      case 'namespaceObject':
        return fromJson(context.namespace ?? null);
      default:
        return new AuthorizerValue(context.authorizer, requestedAccess(view));
    }
  }
}

/** The variables of a policy: each is evaluated when it is used first, and once. */
class VariablesValue extends CelMap {
  override readonly structType: CelType;
  private readonly values = new Map<string, CelValue | CelEvaluationError>();

  constructor(
    private readonly variables: readonly CompiledVariable[],
    private readonly evaluate: (program: CelProgram) => CelValue,
  ) {
    super();
    const fields = variables.map(({ name, program }) => [name, program.type] as const);
    this.structType = struct('kubernetes.variables', new Map(fields));
  }

  get size(): number {
    return this.variables.length;
  }

  *keys(): Iterable<CelValue> {
    for (const { name } of this.variables) yield name;
  }

  get(key: CelValue): CelValue | undefined {
    const variable = this.variables.find(({ name }) => name === key);
    if (!variable) return undefined;
    let value = this.values.get(variable.name);
    if (value === undefined) this.values.set(variable.name, (value = this.compute(variable)));
    if (value instanceof CelEvaluationError) throw value;
    return value;
  }

  private compute({ name, program }: CompiledVariable): CelValue | CelEvaluationError {
    try {
      return this.evaluate(program);
    } catch (error) {
      if (!(error instanceof CelEvaluationError) || error instanceof CelBudgetError) throw error;
      return new CelEvaluationError(`composited variable "${name}" fails to evaluate: ${error.message}`);
    }
  }
}
