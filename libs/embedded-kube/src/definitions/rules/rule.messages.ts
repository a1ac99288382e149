import { CelCostError, CelEvaluationError } from '../../cel/values/cel.error.js';
import { CostMeter } from '../../cel/evaluation/cost.meter.js';
import { type CelVariables } from '../../cel/evaluation/activation.js';
import { PER_CALL_LIMIT } from '../../cel/cel.environment.js';
import {
  duplicateField,
  type FieldError,
  forbiddenField,
  invalidField,
  requiredField,
  violatedField,
} from '../../errors/field.error.js';
import type { ValidationRule } from '../schema/structural.schema.js';
import type { CompiledRule } from './rule.compiler.js';
import type { RuleBudget } from './rule.budget.js';

const MAX_MESSAGE_BYTES = 5 * 1024;

/** Describes the text by which errors name a rule. */
export function describeRule({ rule, message }: ValidationRule): string {
  return (message ? message : rule).trim();
}

/** Returns the text of a violation: the value of its message expression, the message, or the rule. */
export function violationText(
  { rule, messageProgram }: CompiledRule,
  variables: CelVariables,
  budget: RuleBudget,
): string {
  const computed = messageProgram && computedText(messageProgram, variables, budget);
  if (computed) return computed;
  return rule.message ? rule.message.trim() : `failed rule: ${describeRule(rule)}`;
}

function computedText(
  program: NonNullable<CompiledRule['messageProgram']>,
  variables: CelVariables,
  budget: RuleBudget,
): string | undefined {
  const meter = new CostMeter(PER_CALL_LIMIT);
  let value: unknown;
  try {
    value = program.evaluateWith(variables, meter);
  } catch (error) {
    if (!(error instanceof CelEvaluationError)) throw error;
    if (error instanceof CelCostError) {
      const detail = `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${JSON.stringify(program.expression)}`;
      throw new MessageBudgetError(detail);
    }
  }
  if (!budget.take(meter.spent)) {
    throw new MessageBudgetError(
      'messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run',
    );
  }
  const text = typeof value === 'string' ? value.trim() : '';
  return Buffer.byteLength(text) > MAX_MESSAGE_BYTES || text.includes('\n') ? undefined : text;
}

/** The error that ends the evaluation of all rules: the message of one of them costs too much. */
export class MessageBudgetError extends Error {
  override readonly name = 'MessageBudgetError';
}

/** Returns the error for a violated rule, with the reason in the rule. */
export function violation(
  rule: ValidationRule,
  path: string,
  value: unknown,
  type: unknown,
  detail: string,
): FieldError {
  switch (rule.reason) {
    case 'FieldValueForbidden':
      return forbiddenField(path, detail);
    case 'FieldValueRequired':
      return requiredField(path, detail);
    case 'FieldValueDuplicate':
      return type === 'object' || type === 'array'
        ? { reason: 'FieldValueDuplicate', message: 'Duplicate value', field: path }
        : duplicateField(path, value);
    default:
      return type === 'object' || type === 'array' ? violatedField(path, detail) : invalidField(path, value, detail);
  }
}
