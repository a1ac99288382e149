import {
  duplicateField,
  type FieldError,
  invalidField,
  manyField,
  requiredField,
} from '../../../errors/field.error.js';
import { qualifiedName } from '../../../resources/name.rules.js';
import { compileCondition, ConditionError } from '../conditions/match.condition.js';
import type { MatchConditionSpec } from './webhook.types.js';

const MAX_CONDITIONS = 64;

/**
 * Finds the violations in the match conditions of a webhook or a policy.
 *
 * @param validate finds those in an expression that is not empty. @default as those of webhooks
 */
export function validateConditions(
  conditions: readonly Partial<MatchConditionSpec>[],
  path: string,
  validate: (expression: string, path: string) => FieldError[] = validateExpression,
): FieldError[] {
  const errors = conditions.length > MAX_CONDITIONS ? [manyField(path, conditions.length, MAX_CONDITIONS)] : [];
  for (const [index, { name, expression }] of conditions.entries()) {
    const [trimmed, at] = [(expression ?? '').trim(), `${path}[${index}].expression`];
    errors.push(...(trimmed ? validate(trimmed, at) : [requiredField(at)]));
    const field = `${path}[${index}].name`;
    if (!name) errors.push(requiredField(field));
    else errors.push(...qualifiedName(name).map((problem) => invalidField(field, name, problem)));
    const isTaken = name && conditions.findIndex((each) => each.name === name) < index;
    if (isTaken) errors.push(duplicateField(field, name));
  }
  return errors;
}

function validateExpression(expression: string, path: string): FieldError[] {
  try {
    compileCondition(expression);
    return [];
  } catch (error) {
    if (error instanceof ConditionError) return [invalidField(path, expression, error.message)];
    throw error;
  }
}
