import type { InspectionTopic, OperatorEvent } from 'nestjs-kopf/inspection';

export type { InspectionTopic };

/**
 * One object whose changes, and those of its children, are reported to viewers: `objects/{resource}/{namespace|-}/{name}`, the path of its
 * details. The parts are escaped as in an address.
 */
export type ConsoleObjectTopic = `objects/${string}`;

/** Any topic whose changes are reported to viewers. */
export type ConsoleStreamTopic = InspectionTopic | ConsoleObjectTopic;

/**
 * A message of the stream: `GET api/stream?topics=log,now,objects`, as server-sent events whose data is JSON.
 *
 * - `log`: entries of the event log, at once after a pause, else at most 200 ms after they were made, several in one message; only with
 *   `log` among the topics. Their times are seconds after `beganAt`. The first message of a stream has no entries, only `beganAt`: answers
 *   that are fetched after it, also `GET api/log`, miss nothing
 * - `changed`: topics of which an answer has changed since it was fetched, `now` and `objects` at most about five times a second, the
 *   others once; a page fetches those that it shows. There is no message about topics whose fetched answers, `GET api/objects?limit=100`
 *   for one, would be the same again
 * - `reset`: the stream cannot continue where it was, as what `Last-Event-ID` names is not kept any more: fetch everything
 * - `alive`: nothing, every 15 seconds. A connection on which nothing comes for longer is dead, or a proxy keeps back what is sent
 */
export type ConsoleMessage =
  | {
      readonly type: 'log';
      readonly events: readonly OperatorEvent[];
      /** When the time of the events began, in milliseconds since the epoch. */
      readonly beganAt: number;
    }
  | { readonly type: 'changed'; readonly topics: readonly ConsoleStreamTopic[] }
  | { readonly type: 'reset' }
  | { readonly type: 'alive' };

/**
 * The last entries of the event log: `GET api/log?limit=500`. Those of the stream come after them; entries with the same number are the
 * same.
 */
export interface ConsoleLog {
  /** When the time of the events began, in milliseconds since the epoch; the numbers restart with another time. */
  readonly beganAt: number;
  /** The oldest first, at most 2000. @default the last 500 */
  readonly events: readonly OperatorEvent[];
}

/** The body of all answers with a status of 400 or more. */
export interface ConsoleProblem {
  /** The HTTP status. */
  readonly status: number;
  /** A stable name, for programs: `NOT_FOUND`, `CONFLICT`, `FORBIDDEN`, `BAD_REQUEST`, `UNAUTHENTICATED`, `FAILED`, `UNAVAILABLE`. */
  readonly code: string;
  /** The sentence about what is wrong. */
  readonly message: string;
}
