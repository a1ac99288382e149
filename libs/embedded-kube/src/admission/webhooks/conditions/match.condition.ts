import { CelCompilationError, CelEnvironment, PER_CALL_LIMIT } from '../../../cel/cel.environment.js';
import { CelBudgetError, CONDITIONS_BUDGET, CostBudget } from '../../../cel/evaluation/cost.budget.js';
import { CelEvaluationError } from '../../../cel/values/cel.error.js';
import { BOOL, DYN } from '../../../cel/values/cel.type.js';
import type { CelValue } from '../../../cel/values/cel.value.js';
import { AUTHORIZER, AUTHORIZER_LIBRARY, AUTHORIZER_TYPES } from '../../policies/authorizer.library.js';
import { ADMISSION_REQUEST } from './request.type.js';

/** The variables of expressions. */
export interface ConditionVariables {
  readonly object: CelValue;
  readonly oldObject: CelValue;
  readonly request: CelValue;
  /** Always null: conditions do not get the namespace. */
  readonly namespaceObject?: CelValue;
  readonly authorizer?: CelValue;
}

/**
 * A compiled condition.
 *
 * @param budget what all conditions of a webhook may cost together
 * @throws ConditionError if it cannot be evaluated; CelBudgetError if there is not enough left for it
 */
export type Condition = (variables: ConditionVariables, budget?: CostBudget) => boolean;

/** The error of an expression, or why it has no value. */
export class ConditionError extends Error {
  override readonly name = 'ConditionError';
}

let environment: CelEnvironment | undefined;

/** @throws ConditionError if the expression is no condition */
export function compileCondition(expression: string): Condition {
  environment ??= new CelEnvironment({
    variables: {
      object: DYN,
      oldObject: DYN,
      request: ADMISSION_REQUEST,
      namespaceObject: DYN,
      authorizer: AUTHORIZER,
    },
    types: AUTHORIZER_TYPES,
    functions: AUTHORIZER_LIBRARY,
  });
  const program = compile(environment, expression);
  const { text } = program.type;
  if (text !== BOOL.text) throw new ConditionError(`must evaluate to bool but got ${text}`);
  return (variables, budget = new CostBudget(CONDITIONS_BUDGET)) => {
    try {
      const all = { namespaceObject: null, ...variables };
      return budget.spend(PER_CALL_LIMIT, (meter) => program.evaluateWith(all, meter)) === true;
    } catch (error) {
      if (!(error instanceof CelEvaluationError) || error instanceof CelBudgetError) throw error;
      throw new ConditionError(error.message);
    }
  };
}

function compile(env: CelEnvironment, expression: string): ReturnType<CelEnvironment['compile']> {
  try {
    return env.compile(expression);
  } catch (error) {
    if (!(error instanceof CelCompilationError)) throw error;
    throw new ConditionError(`compilation failed: ${error.message}`);
  }
}
