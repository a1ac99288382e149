import type { TimelineEntry } from '../run/timeline.js';
import type { Violation } from './violation.js';

/** The largest number of nondeterministic calls in a message. */
const NAMED_LIMIT = 3;
const UNSEEN =
  'None of Date, Math.random(), crypto, timers, and fetch() is called by the code of the operator; what is left is what survives a process, ' +
  'such as static members and variables of modules, files and other systems, and undefined orders, as of Promise.race().';

/**
 * Describes the first difference between two runs of one plan.
 *
 * @param index of the first event that differs, from 0 on.
 * @param events the event at that index in either run; absent if the run has ended.
 * @param calls descriptions of the nondeterministic functions that the operator's code calls, with the callers.
 */
export function describeDifference(
  index: number,
  events: readonly [one?: TimelineEntry, other?: TimelineEntry],
  calls: readonly string[],
): Violation {
  const [one, other] = events.map(describeEvent);
  const what = one === other ? `${one}, with other contents` : `${one}, and ${other}`;
  const rest = calls.length > NAMED_LIMIT ? `; and ${calls.length - NAMED_LIMIT} more` : '';
  const reason = calls.length > 0 ? `${calls.slice(0, NAMED_LIMIT).join('; ')}${rest}.` : UNSEEN;
  return { check: 'deterministic', message: `not deterministic from event ${index + 1} on: ${what}. ${reason}` };
}

function describeEvent(event: TimelineEntry | undefined): string {
  return event ? `'${event.text}' at ${event.time} s` : 'the end';
}
