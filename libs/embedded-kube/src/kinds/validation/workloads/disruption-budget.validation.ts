import type { Draft } from '../../../resources/kube-object.js';
import { type FieldReport, itemsOf, structOf, type Values } from '../field.report.js';
import { validateConditions } from '../condition.validation.js';
import { validateLabelSelector } from '../selector.validation.js';
import { validateAtMostAll, validateShare } from './workload.validation.js';

export function validateDisruptionBudget(report: FieldReport, spec: Values): void {
  if (spec['minAvailable'] !== undefined && spec['maxUnavailable'] !== undefined) {
    report.invalid('spec', spec, 'minAvailable and maxUnavailable cannot be both set');
  }
  for (const field of ['minAvailable', 'maxUnavailable']) {
    if (spec[field] === undefined) continue;
    validateShare(report, `spec.${field}`, spec[field]);
    validateAtMostAll(report, `spec.${field}`, spec[field]);
  }
  validateLabelSelector(report, 'spec.selector', spec['selector']);
  const policies = ['AlwaysAllow', 'IfHealthyBudget'];
  report.oneOfOptional('spec.unhealthyPodEvictionPolicy', spec['unhealthyPodEvictionPolicy'], policies);
}

/** Checks the status that the disruption controller writes. */
export function validateBudgetStatus(report: FieldReport, { status }: Draft): void {
  const counts = structOf(status) ?? {};
  validateConditions(report, 'status.conditions', itemsOf(counts['conditions']));
  for (const field of ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods']) {
    report.nonNegative(`status.${field}`, counts[field]);
  }
}
