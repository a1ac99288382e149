import type { TimelineEntry } from '../run/timeline.js';
import type { Violation } from './violation.js';

/** Limits the culprits that a message names. */
const NAMED_LIMIT = 3;
const UNSEEN =
  'None of Date, Math.random(), crypto, timers, and fetch() is called by the code of the operator; what is left is what survives a process, ' +
  'such as static members and variables of modules, files and other systems, and orders that nobody decides on, as of Promise.race().';

/**
 * Describes the first difference of two runs of one plan.
 *
 * @param index counts the event from which on they differ, from 0 on.
 * @param events have what happened then in either run; absent at its end.
 * @param calls says who calls what returns something else in each run.
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
