import { mapping } from '../../common/json.values.js';
import { validateConditions } from '../../kinds/validation/condition.validation.js';
import { type FieldReport, itemsOf, textOf } from '../../kinds/validation/field.report.js';
import type { Draft } from '../../resources/kube-object.js';

/** Finds what is wrong with the status of a ValidatingAdmissionPolicy. */
export function validatePolicyStatus(report: FieldReport, policy: Draft): void {
  const { typeChecking, conditions } = mapping(policy['status']);
  for (const [index, { warning, fieldRef }] of itemsOf(mapping(typeChecking)['expressionWarnings']).entries()) {
    const at = `status.typeChecking.expressionWarnings[${index}]`;
    report.requiredText(`${at}.warning`, warning);
    report.requiredText(`${at}.fieldRef`, textOf(fieldRef).trim());
  }
  validateConditions(report, 'status.conditions', itemsOf(conditions));
}
