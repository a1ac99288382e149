import type { FieldReport, Values } from './field.report.js';
import { qualifiedName } from '../../resources/name.rules.js';
import { textOf } from './field.report.js';

const STATUSES = ['False', 'True', 'Unknown'];
const LONGEST = { reason: 1024, message: 32 * 1024 };
const REASON = '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?';
const REASON_RULE = `a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is '${REASON}')`;

/** Checks conditions as newer kinds have them, each type once. */
export function validateConditions(report: FieldReport, path: string, conditions: readonly Values[]): void {
  const types = new Set<string>();
  for (const [index, condition] of conditions.entries()) {
    const at = `${path}[${index}]`;
    const type = textOf(condition['type']);
    if (types.has(type)) report.duplicate(`${at}.type`, type);
    types.add(type);
    validateCondition(report, at, condition);
  }
}

/** Checks conditions as older kinds have them: each has a type, and each type stands once. */
export function validateConditionTypes(report: FieldReport, path: string, conditions: readonly Values[]): void {
  const types = new Set<string>();
  for (const [index, condition] of conditions.entries()) {
    const at = `${path}[${index}].type`;
    const type = textOf(condition['type']);
    if (types.has(type)) report.duplicate(at, type);
    types.add(type);
    report.requiredText(at, type);
  }
}

function validateCondition(report: FieldReport, path: string, condition: Values): void {
  const { type, status, reason, message, observedGeneration, lastTransitionTime } = condition;
  report.named(`${path}.type`, type, qualifiedName);
  report.oneOf(`${path}.status`, status, STATUSES);
  if (Number(observedGeneration ?? 0) < 0) {
    report.invalid(`${path}.observedGeneration`, observedGeneration, 'must be greater than or equal to zero');
  }
  if (!lastTransitionTime) report.required(`${path}.lastTransitionTime`);
  if (report.requiredText(`${path}.reason`, reason)) {
    const text = textOf(reason);
    if (!new RegExp(`^${REASON}$`).test(text)) report.invalid(`${path}.reason`, text, REASON_RULE);
    if (Buffer.byteLength(text) > LONGEST.reason) report.tooLong(`${path}.reason`, LONGEST.reason);
  }
  if (Buffer.byteLength(textOf(message)) > LONGEST.message) report.tooLong(`${path}.message`, LONGEST.message);
}
