import type { TimedEvent } from '../live/recent.events.js';

/** The filters of a log, all of which must let an entry through. */
export interface LogFilter {
  /** The name of an actor. */
  readonly actor?: string;
  /** An object, as {@link nameOf} returns it. */
  readonly object?: string;
  /** The id of a handler. */
  readonly handler?: string;
  /** A part of the text, of the error, of the handler's id, or of the object's name, in any case. */
  readonly text?: string;
  /** Whether only errors are meant. */
  readonly errors?: boolean;
}

/** Reads the filters from the parameters of an address. */
export function readLogFilter(query: URLSearchParams): LogFilter {
  const read = (name: string): string | undefined => query.get(name) || undefined;
  return {
    actor: read('actor'),
    object: read('object'),
    handler: read('handler'),
    text: read('text'),
    errors: read('errors') === 'true' ? true : undefined,
  };
}

/** Selects the entries that the filters let through. */
export function filterLog(events: readonly TimedEvent[], filter: LogFilter): readonly TimedEvent[] {
  const { actor, object, handler, errors } = filter;
  const text = filter.text?.toLowerCase();
  return events.filter(
    (event) =>
      (actor === undefined || event.actor.name === actor) &&
      (object === undefined || nameOf(event) === object) &&
      (handler === undefined || event.call?.id === handler) &&
      (!errors || isError(event)) &&
      (text === undefined || textOf(event).includes(text)),
  );
}

/** Returns the name of the object of an entry with its kind and its namespace; empty without an object. */
export function nameOf({ object }: TimedEvent): string {
  return object ? `${object.kind} ${object.namespace ? `${object.namespace}/` : ''}${object.name}` : '';
}

/** Whether an entry is about an error. Entries of simulations do not say so by themselves. */
export function isError({ type, call, isError: isMarked }: TimedEvent): boolean {
  return isMarked === true || call?.error !== undefined || type === 'violation' || type === 'fault';
}

function textOf(event: TimedEvent): string {
  return [event.text, event.call?.id, event.call?.error, nameOf(event)].join('\n').toLowerCase();
}
