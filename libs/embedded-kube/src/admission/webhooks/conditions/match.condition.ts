import { CelCompilationError, CelEnvironment } from '../../../cel/cel.environment.js';
import { CelEvaluationError } from '../../../cel/values/cel.error.js';
import { DYN } from '../../../cel/values/cel.type.js';
import type { CelValue } from '../../../cel/values/cel.value.js';
import { ADMISSION_REQUEST } from './request.type.js';

/** Holds the variables that expressions can name. */
export interface ConditionVariables {
  readonly object: CelValue;
  readonly oldObject: CelValue;
  readonly request: CelValue;
}

/** A compiled condition. @throws ConditionError if it cannot be evaluated */
export type Condition = (variables: ConditionVariables) => boolean;

/** Says what is wrong with an expression, or why it has no value. */
export class ConditionError extends Error {
  override readonly name = 'ConditionError';
}

let environment: CelEnvironment | undefined;

/** @throws ConditionError if the expression is no condition */
export function compileCondition(expression: string): Condition {
  environment ??= new CelEnvironment({ variables: { object: DYN, oldObject: DYN, request: ADMISSION_REQUEST } });
  const program = compile(environment, expression);
  const { kind, text } = program.type;
  if (kind !== 'bool' && kind !== 'dyn') throw new ConditionError(`must evaluate to bool but got ${text}`);
  return ({ object, oldObject, request }) => {
    let value: CelValue;
    try {
      ({ value } = program.evaluate({ object, oldObject, request }));
    } catch (error) {
      if (!(error instanceof CelEvaluationError)) throw error;
      throw new ConditionError(error.message);
    }
    if (typeof value !== 'boolean') throw new ConditionError('must evaluate to bool');
    return value;
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
