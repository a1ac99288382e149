import { formatTimestamp } from 'kube-common';
import type { ProgressRecord } from '../../state/storages.js';
import type { ConsoleAction, ConsoleActionRequest } from '../console.api.js';
import { ConsoleError } from '../../inspection/inspection.error.js';

/** The longest delay, in seconds: a year. */
const MOST_SECONDS = 366 * 24 * 3600;

/** An action on the progress of handlers. */
export interface RecordAction {
  /** The members of the records that become others; `null` takes them off. */
  readonly change: Partial<ProgressRecord>;
  /** Says what is done, given the ids of the handlers. */
  text(handlers: string): string;
}

/** Has a handler called as soon as the operator sees the change. */
export const CALL_NOW: Partial<ProgressRecord> = { delayed: null };

/**
 * Plans `retry`, `postpone`, or `complete` in the way that Kopf's state on the objects allows, so that any operator goes on with it.
 *
 * @param now the time in milliseconds since the epoch.
 * @throws ConsoleError 400 if the request makes no sense.
 */
export function planRecordAction(
  action: ConsoleAction,
  { handler, seconds }: Pick<ConsoleActionRequest, 'handler' | 'seconds'>,
  now: number,
): RecordAction {
  if (action === 'retry') return { change: CALL_NOW, text: (handlers) => `Called now: ${handlers}.` };
  if (action === 'postpone') {
    if (typeof seconds !== 'number' || !(seconds > 0) || seconds > MOST_SECONDS) {
      throw new ConsoleError(400, 'seconds must be a number above 0, at most those of a year.');
    }
    const change = { delayed: formatTimestamp(now + seconds * 1000) };
    return { change, text: (handlers) => `Called in ${seconds} seconds: ${handlers}.` };
  }
  if (handler === undefined) throw new ConsoleError(400, 'The handler is missing.');
  const change = { success: true, failure: false, delayed: null, stopped: formatTimestamp(now) };
  return { change, text: (handlers) => `Counts as succeeded, and is not called any more: ${handlers}.` };
}
