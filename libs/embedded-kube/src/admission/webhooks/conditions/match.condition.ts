import { Environment } from '@marcbachmann/cel-js';
import { registerFunctions } from './cel.environment.js';

/** Holds the variables that expressions can name, as values of {@link toCelValue}. */
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

/** Describes an error of the CEL library without its message, which continues with an excerpt of the expression. */
interface Problem {
  readonly summary?: string;
  readonly message?: string;
  readonly range?: { readonly start: number };
}

/** @throws ConditionError if the expression is no condition */
export function compileCondition(expression: string): Condition {
  const environment = registerFunctions(
    new Environment({ enableOptionalTypes: true, homogeneousAggregateLiterals: false }),
  )
    .registerVariable('object', 'dyn')
    .registerVariable('oldObject', 'dyn')
    .registerVariable('request', 'dyn');
  const { valid, type, error } = environment.check(expression);
  if (!valid) throw new ConditionError(`compilation failed: ${explain(error as Problem, expression)}`);
  if (type !== 'bool' && type !== 'dyn') throw new ConditionError(`must evaluate to bool but got ${type}`);
  const program = environment.parse(expression);
  return (variables) => {
    let value: unknown;
    try {
      value = program({ ...variables });
    } catch (thrown) {
      throw new ConditionError(summary(thrown as Problem).replace(/^No such key/, 'no such key'));
    }
    if (typeof value !== 'boolean') throw new ConditionError('must evaluate to bool');
    return value;
  };
}

/** Says what is wrong and where, as the real server does. */
function explain(problem: Problem, expression: string): string {
  const start = problem.range?.start ?? 0;
  const before = expression.slice(0, start).split('\n');
  const column = before.at(-1)!.length;
  const line = expression.split('\n')[before.length - 1] ?? '';
  const what = summary(problem).replace(/^Unknown variable: (.*)$/, "undeclared reference to '$1' (in container '')");
  return `ERROR: <input>:${before.length}:${column + 1}: ${what}\n | ${line}\n | ${'.'.repeat(column)}^`;
}

function summary({ summary: text, message = '' }: Problem): string {
  return (text ?? message).split('\n')[0]!;
}
