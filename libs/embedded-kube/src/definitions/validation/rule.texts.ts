import { mapping } from '../../common/json.values.js';
import { type FieldError, invalidField, requiredField, unsupportedField } from '../../errors/field.error.js';
import { parseFieldPath } from '../schema/schema.path.js';
import type { StructuralSchema } from '../schema/structural.schema.js';
import type { RawSchema } from './schema.nodes.js';

const REASONS = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];

/** Checks the texts of the rules of one schema, before any is compiled. */
export function checkRuleTexts(schema: RawSchema, path: string): FieldError[] {
  const rules = schema['x-kubernetes-validations'];
  if (!Array.isArray(rules)) return [];
  return rules.flatMap((each: unknown, index) => {
    const rule = mapping(each);
    const field = `${path}.x-kubernetes-validations[${index}]`;
    return [...checkMessages(rule, field), ...checkReason(rule, field), ...checkFieldPath(rule, schema, field)];
  });
}

function checkMessages(rule: Readonly<Record<string, unknown>>, field: string): FieldError[] {
  const errors: FieldError[] = [];
  const expression = text(rule['rule']).trim();
  const message = text(rule['message']);
  if (!expression) errors.push(requiredField(`${field}.rule`, 'rule is not specified'));
  else if (message && !message.trim()) {
    errors.push(invalidField(`${field}.message`, message, 'must be non-empty if specified'));
  } else if (hasLineBreak(message.trim())) {
    errors.push(invalidField(`${field}.message`, message, 'must not contain line breaks'));
  } else if (hasLineBreak(expression) && !message.trim()) {
    errors.push(requiredField(`${field}.message`, 'message must be specified if rule contains line breaks'));
  }
  const messageExpression = text(rule['messageExpression']);
  if (messageExpression && !messageExpression.trim()) {
    errors.push(requiredField(`${field}.messageExpression`, 'messageExpression must be non-empty if specified'));
  }
  return errors;
}

function checkReason({ reason }: Readonly<Record<string, unknown>>, field: string): FieldError[] {
  if (reason === undefined || reason === null || REASONS.includes(reason as string)) return [];
  return [unsupportedField(`${field}.reason`, reason, REASONS)];
}

function checkFieldPath(rule: Readonly<Record<string, unknown>>, schema: RawSchema, field: string): FieldError[] {
  const path = text(rule['fieldPath']);
  if (!path) return [];
  const errors: FieldError[] = [];
  if (!path.trim()) errors.push(invalidField(`${field}.fieldPath`, path, 'must be non-empty if specified'));
  if (hasLineBreak(path)) errors.push(invalidField(`${field}.fieldPath`, path, 'must not contain line breaks'));
  if (typeof parseFieldPath(path, schema as StructuralSchema) === 'string') {
    errors.push(invalidField(`${field}.fieldPath`, path, 'must be a valid path'));
  }
  return errors;
}

function hasLineBreak(value: string): boolean {
  return /[\n\r]/.test(value);
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
