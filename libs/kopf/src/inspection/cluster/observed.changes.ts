import type { OperatorEvent, OperatorEventCall } from '../event-log/operator.event.js';
import type { ObservedObject, ObservedProgress } from './observed.object.js';
import type { PostedOutcome } from './posted.outcome.js';

/** An entry of the event log without its place in it, which is not known yet. */
export type ObservedEvent = Pick<OperatorEvent, 'type' | 'actor' | 'text' | 'call'>;

/** The actor of all operators, as the state on an object does not name the operator that has written it. */
export const OPERATOR = { kind: 'operator', name: 'operator' } as const;
const CLUSTER = { kind: 'cluster', name: 'cluster' } as const;

/**
 * Returns the events that follow from two successive states of an object.
 *
 * @param before the state before; absent if the object was not there.
 * @param after the state now; absent if the object has gone.
 */
export function compareObserved(
  before: ObservedObject | undefined,
  after: ObservedObject | undefined,
): readonly ObservedEvent[] {
  if (!after) return before ? [changed('The object was deleted.')] : [];
  if (!before) return [changed('The object was created.'), ...compareProgress([], after.progress)];
  const events = compareProgress(before.progress, after.progress);
  if (before.generation !== undefined && after.generation !== before.generation) {
    events.unshift(changed(`The object was changed, and has the generation ${after.generation} now.`));
  }
  if (before.deletingSince === undefined && after.deletingSince !== undefined) {
    events.unshift(changed('The object is being deleted.'));
  }
  return events;
}

function changed(text: string): ObservedEvent {
  return { type: 'change', actor: CLUSTER, text };
}

function compareProgress(before: readonly ObservedProgress[], after: readonly ObservedProgress[]): ObservedEvent[] {
  const known = new Map(before.map((each) => [each.handler, each]));
  const left = new Set(after.map(({ handler }) => handler));
  const events = after.flatMap((each) => compareHandler(known.get(each.handler), each) ?? []);
  const done = before.filter(({ handler, ended }) => ended === undefined && !left.has(handler));
  // An operator removes the records when all handlers are done, and stores nothing about how the last one has ended.
  return [...events, ...done.map(({ handler }) => note(`The handler ${handler} is not called any more: it is done.`))];
}

function note(text: string): ObservedEvent {
  return { type: 'note', actor: OPERATOR, text };
}

function compareHandler(before: ObservedProgress | undefined, after: ObservedProgress): ObservedEvent | undefined {
  const { handler, attempts, error, purpose, startedAt, ended } = after;
  const isSame = before?.startedAt === startedAt && before?.attempts === attempts && before?.ended === ended;
  if (isSame || attempts === 0) return undefined;
  // A handler without an error is called again only for its sub-handlers.
  if (ended === undefined && error === undefined) return undefined;
  return toObservedEvent({ handler, outcome: ended ?? 'retried', error }, purpose ?? 'change', attempts);
}

/**
 * Describes how an attempt has ended.
 *
 * @param reason the reason of the change, or the kind of the handler.
 * @param attempt counts from 1 on.
 */
export function toObservedEvent(posted: PostedOutcome, reason: string, attempt: number): ObservedEvent {
  const { handler, outcome, error } = posted;
  const call: OperatorEventCall = { id: handler, reason, attempt, outcome, ...(error !== undefined && { error }) };
  const how = { succeeded: 'has succeeded', retried: 'is called again later', failed: 'has failed for good' }[outcome];
  const text = `The handler ${handler} ${how}${error === undefined ? '.' : `: ${error}`}`;
  return { type: 'outcome', actor: OPERATOR, text, call };
}
