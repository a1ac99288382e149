import { formatTimestamp } from 'kube-common';
import type { ProgressRecord } from '../../state/storages.js';
import { InspectionError } from '../inspection.error.js';
import type { HandlingPlanRequest } from './handling.plan.js';

/** The longest delay, in seconds: a year. */
const MOST_SECONDS = 366 * 24 * 3600;

/** A change of the progress of handlers. */
export interface RecordPlan {
  /** The new members of the records; `null` removes a member. */
  readonly change: Partial<ProgressRecord>;
  /** Returns the sentence about the change, for the ids of the handlers. */
  text(handlers: string): string;
}

/** The change of a record after which the handler is called as soon as the operator sees it. */
export const CALL_NOW: Partial<ProgressRecord> = { delayed: null };

/** Returns the change of the record of a handler that has failed for good, after which it is called as for the first time. */
function repeated(now: number): Partial<ProgressRecord> {
  const begun = { started: formatTimestamp(now), stopped: null, delayed: null };
  return { ...begun, retries: 0, success: false, failure: false, message: null };
}

/**
 * Plans `retry`, `postpone`, `complete`, or `repeat` in the way that Kopf's state on the objects allows, so that any operator continues from it.
 *
 * @param now the time in milliseconds since the epoch.
 * @throws InspectionError 400 if the request makes no sense.
 */
export function planRecordChange(
  { change: kind, handler, seconds }: Omit<HandlingPlanRequest, 'object'>,
  now: number,
): RecordPlan {
  if (kind === 'retry') return { change: CALL_NOW, text: (handlers) => `Called now: ${handlers}.` };
  if (kind === 'repeat') {
    return { change: repeated(now), text: (handlers) => `Called again, as for the first time: ${handlers}.` };
  }
  if (kind === 'postpone') {
    if (typeof seconds !== 'number' || !(seconds > 0) || seconds > MOST_SECONDS) {
      throw new InspectionError(400, 'seconds must be a number above 0, at most those of a year.');
    }
    const change = { delayed: formatTimestamp(now + seconds * 1000) };
    return { change, text: (handlers) => `Called in ${seconds} seconds: ${handlers}.` };
  }
  if (handler === undefined) throw new InspectionError(400, 'The handler is missing.');
  const change = { success: true, failure: false, delayed: null, stopped: formatTimestamp(now) };
  return { change, text: (handlers) => `Counts as succeeded, and is not called any more: ${handlers}.` };
}
