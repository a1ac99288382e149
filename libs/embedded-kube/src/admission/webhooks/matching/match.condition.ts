import { Environment } from '@marcbachmann/cel-js';

/** What expressions can name, as values of {@link toCelValue}. */
export interface ConditionVariables {
  readonly object: unknown;
  readonly oldObject: unknown;
  readonly request: unknown;
}

/** A compiled condition. @throws ConditionError if it cannot be evaluated */
export type Condition = (variables: ConditionVariables) => boolean;

/** Says what is wrong with an expression, or why it has no value. */
export class ConditionError extends Error {
  override readonly name = 'ConditionError';
}

/** @throws ConditionError if the expression is no condition */
export function compileCondition(expression: string): Condition {
  const environment = new Environment({ enableOptionalTypes: true, homogeneousAggregateLiterals: false })
    .registerVariable('object', 'dyn')
    .registerVariable('oldObject', 'dyn')
    .registerVariable('request', 'dyn');
  const { valid, type, error } = environment.check(expression);
  if (!valid) throw new ConditionError(`compilation failed: ${summary(error)}`);
  if (type !== 'bool' && type !== 'dyn') throw new ConditionError('must evaluate to bool');
  const program = environment.parse(expression);
  return (variables) => {
    let value: unknown;
    try {
      value = program({ ...variables });
    } catch (thrown) {
      throw new ConditionError(summary(thrown));
    }
    if (typeof value !== 'boolean') throw new ConditionError('must evaluate to bool');
    return value;
  };
}

/** The first line, as the library goes on with an excerpt of the expression. */
function summary(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.split('\n')[0]!.replace(/^No such key/, 'no such key');
}
