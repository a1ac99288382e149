import type { HealthIndicatorStatus } from '@nestjs/terminus';

/** The health of one part of the operator. */
export interface PartReport {
  readonly status: HealthIndicatorStatus;
  readonly [detail: string]: unknown;
}

const SEVERITY: readonly HealthIndicatorStatus[] = ['up', 'degraded', 'down'];

/** The worst of the parts' statuses; `up` without any parts. */
export function worstStatus(parts: Iterable<PartReport>): HealthIndicatorStatus {
  let worst = 0;
  for (const { status } of parts) worst = Math.max(worst, SEVERITY.indexOf(status));
  return SEVERITY[worst];
}
