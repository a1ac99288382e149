import type { FieldReport, Values } from '../field.report.js';

export function validateLease(report: FieldReport, spec: Values): void {
  const { leaseDurationSeconds, leaseTransitions } = spec;
  if (leaseDurationSeconds !== undefined && Number(leaseDurationSeconds) <= 0) {
    report.invalid('spec.leaseDurationSeconds', leaseDurationSeconds, 'must be greater than 0');
  }
  report.nonNegative('spec.leaseTransitions', leaseTransitions);
}
