// cel: the Common Expression Language as Kubernetes has it: parsed, type-checked, with costs that are estimated and limited, and with
// Kubernetes' libraries of functions. A separate folder because CRDs, admission policies and webhooks all evaluate expressions;
// packages for CEL know neither Kubernetes' types and libraries nor costs.
// May import: common, resources.

import { checkCel, type CheckedCel } from './checking/cel.checker.js';
import { type CelFunctions, type CelDeclaration, declareFunctions } from './checking/cel.functions.js';
import { literalIssues } from './checking/literal.validation.js';
import { estimateCost } from './checking/cost.estimator.js';
import { Activation, type CelVariables } from './evaluation/activation.js';
import { compileCel } from './evaluation/cel.compiler.js';
import type { CelStep } from './evaluation/cel.step.js';
import { CostMeter } from './evaluation/cost.meter.js';
import { kubernetesFunctions, kubernetesTypes } from './library/kubernetes.library.js';
import { CelSyntaxError, describeIssues } from './syntax/cel.issue.js';
import { parseCel } from './syntax/cel.parser.js';
import type { CelType } from './values/cel.type.js';
import type { CelValue } from './values/cel.value.js';
import type { DeclaredType } from './values/declared.type.js';

/** The real server's limit of what one evaluation costs. */
export const PER_CALL_LIMIT = 1_000_000;

/** The variables, types and functions that an environment adds to those of Kubernetes. */
export interface CelEnvironmentOptions {
  readonly variables: Readonly<Record<string, CelType>>;
  /** The types that expressions can name, as in `Object.spec{…}`. */
  readonly types?: readonly CelType[];
  readonly functions?: readonly CelDeclaration[];
  /** Whether expressions can give names to values: `cel.bind(name, value, expression)`. @default false */
  readonly bindings?: boolean;
}

/** The error of an expression that cannot be compiled, and its place: `ERROR: <input>:1:5: undefined field 'a'` with an excerpt. */
export class CelCompilationError extends Error {
  override readonly name = 'CelCompilationError';
}

/** The value of an expression, with the cost of its evaluation. */
export interface CelResult {
  readonly value: CelValue;
  readonly cost: number;
}

/**
 * The compiler of expressions, with the variables and functions that they can use.
 *
 * @example
 * const environment = new CelEnvironment({ variables: { object: DYN } });
 * const program = environment.compile('object.spec.replicas > 1');
 * program.evaluate({ object: fromJson(deployment) }).value;   // true
 */
export class CelEnvironment {
  private readonly variables: ReadonlyMap<string, CelType>;
  private readonly types: ReadonlyMap<string, CelType>;
  private readonly functions: CelFunctions;
  private readonly bindings: boolean;

  constructor({ variables, types = [], functions = [], bindings = false }: CelEnvironmentOptions) {
    this.bindings = bindings;
    this.variables = new Map(Object.entries(variables));
    this.types = new Map([...kubernetesTypes(), ...types.map((type) => [type.name, type] as const)]);
    this.functions =
      functions.length > 0
        ? new Map([...kubernetesFunctions(), ...declareFunctions(functions)])
        : kubernetesFunctions();
  }

  /** @throws CelCompilationError */
  compile(expression: string): CelProgram {
    const checked = this.check(expression);
    return new CelProgram(expression, checked, compileCel(checked, this.types));
  }

  private check(expression: string): CheckedCel {
    try {
      const root = parseCel(expression, this.bindings);
      const checked = checkCel(root, { variables: this.variables, types: this.types, functions: this.functions });
      const issues = checked.issues.length > 0 ? checked.issues : literalIssues(root);
      if (issues.length === 0) return checked;
      throw new CelCompilationError(describeIssues(expression, issues));
    } catch (error) {
      if (!(error instanceof CelSyntaxError)) throw error;
      throw new CelCompilationError(describeIssues(expression, error.issues));
    }
  }
}

/** An expression that is ready to be evaluated. */
export class CelProgram {
  constructor(
    readonly expression: string,
    private readonly checked: CheckedCel,
    private readonly step: CelStep,
  ) {}

  /** The type of the result: `dyn` if it is known only when the expression is evaluated. */
  get type(): CelType {
    return this.checked.types.get(this.checked.root)!;
  }

  /** Checks whether the expression names a variable. */
  uses(variable: string): boolean {
    return this.checked.variables.has(variable);
  }

  /** Estimates the most that the expression can cost, where all variables have the given type. */
  maxCost(declared: DeclaredType): number {
    return estimateCost(this.checked, declared).max;
  }

  /**
   * @param variables the values of the variables, or a function that returns them by name
   * @param limit the most that the evaluation may cost
   * @throws CelEvaluationError if the expression has no value; CelCostError if it costs too much
   */
  evaluate(variables: Readonly<Record<string, CelValue>> | CelVariables, limit = PER_CALL_LIMIT): CelResult {
    const meter = new CostMeter(limit);
    return { value: this.evaluateWith(variables, meter), cost: meter.spent };
  }

  /** Evaluates with a meter that several evaluations share, and that has counted where an error is thrown, too. */
  evaluateWith(variables: Readonly<Record<string, CelValue>> | CelVariables, meter: CostMeter): CelValue {
    const find: CelVariables =
      typeof variables === 'function'
        ? variables
        : (name) => (Object.hasOwn(variables, name) ? variables[name] : undefined);
    return this.step(new Activation(meter, find));
  }
}
