import type { ProgressRecord } from '../interfaces/progress.interface.js';

/**
 * Puts all members of a record in Kopf's order, those that are absent as `null`;
 * the sub-handlers' ids are sorted, and none of them is `null`.
 */
export function completeRecord(record: ProgressRecord): Required<ProgressRecord> {
  return {
    started: record.started ?? null,
    stopped: record.stopped ?? null,
    delayed: record.delayed ?? null,
    purpose: record.purpose ?? null,
    retries: record.retries ?? null,
    success: record.success ?? null,
    failure: record.failure ?? null,
    message: record.message ?? null,
    subrefs: record.subrefs?.length ? [...record.subrefs].sort() : null,
  };
}
