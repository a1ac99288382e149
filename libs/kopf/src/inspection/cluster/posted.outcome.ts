import { formatTimestamp, parseTimestamp } from 'kube-common';
import type { StoredProgress } from '../explanation/stored.state.js';
import type { KubeObject } from '../../objects/kube-object.js';

/** The outcome of one attempt of a handler, as the message of a Kubernetes event reports it. */
export interface PostedOutcome {
  readonly handler: string;
  readonly outcome: 'succeeded' | 'retried' | 'failed';
  readonly error?: string;
}

/** The component that operators of Kopf and of nestjs-kopf name as the reporter, unless a setting says another one. */
export const REPORTING_COMPONENT = 'kopf';

/** The log line after all handlers of a change are done: `Creation is processed: 1 succeeded; 0 failed.` */
const PROCESSED = /^\w+ is processed: \d+ succeeded; (?<failed>\d+) failed\./;

const TITLE = /^(?:Handler|Daemon|Timer) '(?<handler>[^']+)' (?<rest>.+)/s;
const ENDINGS: readonly (readonly [start: string, outcome: PostedOutcome['outcome']])[] = [
  ['succeeded.', 'succeeded'],
  ['failed temporarily: ', 'retried'],
  ['failed permanently: ', 'failed'],
  ['failed with an exception and will ignore it: ', 'succeeded'],
  ['failed with an exception and will stop now: ', 'failed'],
  ['failed with an exception and will try again in ', 'retried'],
  ['failed temporarily but will ', 'failed'],
  ['failed with an exception and will stop now (', 'failed'],
  ['has timed out after ', 'failed'],
  ['has exceeded ', 'failed'],
];

/**
 * Reads the outcome of an attempt from a Kubernetes event. Operators post such events if the setting `posting.loggers` is on. Only such an
 * event shows a permanent failure after the other handlers of the object are done.
 *
 * @returns `undefined` if the event is about anything else.
 */
export function readPostedOutcome({ message, reason }: KubeObject): PostedOutcome | undefined {
  if (reason !== 'Logging' || typeof message !== 'string') return undefined;
  const { handler, rest } = TITLE.exec(message)?.groups ?? {};
  const ending = ENDINGS.find(([start]) => rest?.startsWith(start));
  if (!ending) return undefined;
  const [start, outcome] = ending;
  if (start === 'succeeded.') return { handler, outcome };
  return { handler, outcome, error: errorOf(rest.slice(start.length), rest) };
}

/** Whether a Kubernetes event says that all handlers of a change have succeeded. */
export function saysAllSucceeded({ message, reason }: KubeObject): boolean {
  if (reason !== 'Logging' || typeof message !== 'string') return false;
  return PROCESSED.exec(message)?.groups?.failed === '0';
}

/** A permanent failure that a Kubernetes event reports, with its time in milliseconds since the epoch. */
export interface PostedFailure {
  readonly handler: string;
  readonly error: string;
  readonly at: number;
}

/** Describes a permanent failure as a stored one. Events have no number of attempts. */
export function toStoredFailure({ handler, error, at }: PostedFailure): StoredProgress {
  return { id: handler, places: [], state: 'failed', attempts: 0, stopped: formatTimestamp(at), message: error };
}

/**
 * Finds the handlers that have failed for good, and have not succeeded since then.
 *
 * @param events the Kubernetes events about one object.
 */
export function findPostedFailures(events: readonly KubeObject[]): readonly PostedFailure[] {
  const failures = new Map<string, PostedFailure>();
  for (const [at, event] of inOrder(events)) {
    const posted = readPostedOutcome(event);
    if (saysAllSucceeded(event)) failures.clear();
    if (!posted) continue;
    failures.delete(posted.handler);
    const { handler, outcome, error = '' } = posted;
    if (outcome === 'failed') failures.set(handler, { handler, error, at });
  }
  return [...failures.values()];
}

/** Finds the same failures as {@link findPostedFailures}, described as stored ones. */
export function findStoredFailures(events: readonly KubeObject[]): readonly StoredProgress[] {
  return findPostedFailures(events).map(toStoredFailure);
}

function inOrder(events: readonly KubeObject[]): readonly (readonly [at: number, event: KubeObject])[] {
  return events.map((event) => [timeOfEvent(event), event] as const).sort(([one], [other]) => one - other);
}

/** Returns the time at which an event was reported last, in milliseconds since the epoch. */
function timeOfEvent({ lastTimestamp, eventTime, metadata }: KubeObject): number {
  return [lastTimestamp, eventTime, metadata.creationTimestamp].map(parseTimestamp).find((time) => time) ?? 0;
}

/** The text after the limit that a message names: `(it would exceed 3 retries on the next attempt): no connection`. */
function errorOf(text: string, rest: string): string {
  const named = /^(?:time out after|exceed|it would|[\d.]+ seconds)[^:]*: (?<error>.*)$/s.exec(text);
  // Kopf adds the traceback of unexpected errors in further lines.
  const [line] = (named?.groups?.error ?? (rest.startsWith('has ') ? rest : text)).split('\nTraceback ');
  return line.trim();
}
