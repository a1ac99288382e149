// diagnostics: events of an operator on channels of node:diagnostics_channel, so that metrics, tracing, and others can subscribe to them,
// and no other folder depends on them. This file is all of it: the channels, and the messages on each of them. A channel without
// subscribers costs one read of a property. Nothing is measured, and no message is created, without a subscriber.
// May import: objects, resources.

import { channel } from 'node:diagnostics_channel';
import type { AsyncLocalStorage } from 'node:async_hooks';
import type { KubeObject, WatchEventType } from '../objects/kube-object.js';
import type { Resource } from '../resources/resources.js';

/**
 * The identity of an operator in messages. All operators of a process share the channels, so subscribers compare this object to select the
 * messages of one operator.
 */
export class OperatorIdentity {
  constructor(
    /** The operator's name, for people. */
    readonly name = 'default',
  ) {}
}

/** The part that all messages have in common. The same message is published at the start and, with its results, at the end. */
export interface DiagnosticMessage {
  /** The operator that does the work. */
  readonly operator: OperatorIdentity;
}

/** A message about work that takes time. */
export interface TimedMessage extends DiagnosticMessage {
  /** The start of the work, in milliseconds since the epoch. */
  readonly startedAt: number;
  /** Seconds that the work took, with all waiting; set at the end. */
  duration?: number;
}

/** A function that calls the work, and returns its result. */
export type WorkCaller = <R>(work: () => R) => R;

/** A message about work that other work can be a part of. */
export interface WorkMessage extends TimedMessage {
  /**
   * A wrapper of the work. A subscriber of the start can set it, to run the work in a context that is no `AsyncLocalStorage`, such as that
   * of a tracer; if it is set already, the subscriber's wrapper calls that one. @default the work is called directly
   */
  surround?: WorkCaller;
}

/** A message about one attempt of a handler of any kind: `nestjs-kopf:handler:start`, `nestjs-kopf:handler:end`. */
export interface HandlerMessage extends WorkMessage {
  /** The handler: its id, its method as in messages, and its kind if it is a daemon, a timer, or the like. */
  readonly handler: {
    readonly id: string;
    readonly source: string;
    readonly kind?: 'daemon' | 'timer' | 'child' | 'reference' | 'log';
  };
  /** The resource of the object; absent if the handler has no object. */
  readonly resource?: Resource;
  /** The object; for daemons and timers, only its identity. It can be a Secret. Absent if the handler has no object. */
  readonly body?: KubeObject;
  /** The reason of a change: `create`, `update`, `delete`, `resume`. */
  readonly reason?: string;
  /** The number of attempts before this one. */
  readonly retry: number;
  /** The {@link traceparent} of the attempt before; absent if it had none. */
  readonly previousTraceparent?: string;
  /**
   * The identity of the attempt for tracers: `00-{trace id}-{span id}-{flags}`, as in W3C Trace Context. A subscriber of the start can set
   * it. It is a part of the handler's progress until the handler has finished: for handlers of changes, it is stored with the object, so
   * that the next attempt has it as {@link previousTraceparent} also after a restart.
   */
  traceparent?: string;
  /** The outcome of the attempt; set at the end. */
  outcome?: {
    /** Whether this was the last attempt. */
    readonly final: boolean;
    /** Seconds until the next attempt, if there will be one. */
    readonly delay?: number;
    readonly error?: Error;
    /** An error that the handler's option `errors` ignores. */
    readonly ignored?: Error;
    /** Whether the error is the decision of a review, not a failure: the request of a user is rejected. */
    readonly rejected?: boolean;
  };
}

/** A message about one event cycle of an object: `nestjs-kopf:cycle:start`, `nestjs-kopf:cycle:end`. */
export interface CycleMessage extends WorkMessage {
  readonly resource: Resource;
  /** The object at the start of the cycle. It can be a Secret. */
  readonly body: KubeObject;
  /** The type of the event; `null` for an object that was listed. */
  readonly type: WatchEventType;
  /** Seconds of work, without the sleeps until handlers are due; set at the end. */
  work?: number;
  /**
   * The result of the cycle; set at the end: `done`; `waiting` if handlers are to be called later; `repeated` if another cycle of the
   * object follows at once; `failed` if an error of the framework has ended it.
   */
  result?: 'done' | 'waiting' | 'repeated' | 'failed';
  /** The error of the framework that has ended the cycle; errors of handlers do not end it. */
  error?: unknown;
}

/** A message about one request to the API server, where each retry is a request: `nestjs-kopf:request:start`, `nestjs-kopf:request:end`. */
export interface RequestMessage extends WorkMessage {
  readonly method: string;
  /** The path with the query. It contains names of objects. */
  readonly path: string;
  /** The host of the API server, with the port if it is not the usual one. */
  readonly host: string;
  /** The headers to send, without credentials. Subscribers of the start can add some. */
  readonly headers: Record<string, string>;
  /** Whether the request is a watch, which ends for the message as soon as the stream is open. */
  readonly streaming: boolean;
  /** The status of the response; absent if there is none. */
  status?: number;
  /** The error, if there is no response. */
  error?: unknown;
}

/** A message about the patch of an object, which takes none to four requests: `nestjs-kopf:patch:end`. */
export interface PatchMessage extends TimedMessage {
  readonly resource: Resource;
  /** The object before the patch. It can be a Secret. */
  readonly body: KubeObject;
  /** The outcome of the patch. */
  outcome: 'stored' | 'gone' | 'conflict' | 'rejected' | 'failed';
}

/** A message about a review of admission, or of a conversion: `nestjs-kopf:review:start`, `nestjs-kopf:review:end`. */
export interface ReviewMessage extends WorkMessage {
  readonly kind: 'admission' | 'conversion';
  /** The id in the path of the webhook. Any client can have sent it. */
  readonly webhook?: string;
  /** The headers of the request, by their names in lower case; credentials can be among them. */
  readonly headers: Readonly<Record<string, string>>;
  /** The review as it was received; it is not trusted, and can contain a Secret. */
  readonly input: unknown;
  /** Whether the request was admitted, or all objects were converted; absent if there was no answer. */
  allowed?: boolean;
  /** The code with which the request was rejected; 504 if the handlers have not answered in time. */
  rejection?: number;
  /** The HTTP status of the answer; set at the end. */
  code?: number;
  /** The error, if there is no answer. */
  error?: unknown;
}

/** A message about an event that leaves a queue: `nestjs-kopf:queue:take` and, when it was processed, `nestjs-kopf:queue:done`. */
export interface QueueMessage extends DiagnosticMessage {
  readonly resource: Resource;
  /** Seconds that the event has waited; absent if it came before there were subscribers. */
  readonly waited?: number;
  /** Seconds of work, without sleeps; set at the end. */
  work?: number;
}

/** A message about an event that enters a queue: `nestjs-kopf:queue:add`. */
export interface QueueAddMessage extends DiagnosticMessage {
  readonly resource: Resource;
}

/** A message about the state of a watch, not about its events: `nestjs-kopf:watch`. */
export interface WatchMessage extends DiagnosticMessage {
  readonly resource: Resource;
  /** The namespace; `undefined` for all namespaces. */
  readonly namespace: string | undefined;
  /**
   * The change: `restart`: the watch connects or lists again; `failure`: an unexpected error has interrupted it; `bookmark`: a bookmark has
   * come.
   */
  readonly what: 'restart' | 'failure' | 'bookmark';
  readonly error?: unknown;
}

/** A channel of Node, with the type of its messages. Subscribers must neither throw nor block the process. */
export interface DiagnosticChannel<M> {
  readonly name: string | symbol;
  readonly hasSubscribers: boolean;
  publish(message: M): void;
  subscribe(listener: (message: M, name: string | symbol) => void): void;
  unsubscribe(listener: (message: M, name: string | symbol) => void): boolean;
  /** Binds a storage: the started work runs in it, with the value that `transform` creates of the message. */
  bindStore<S>(storage: AsyncLocalStorage<S>, transform?: (message: M) => S): void;
  unbindStore<S>(storage: AsyncLocalStorage<S>): boolean;
  /** Publishes the message, and calls the function in the bound storages. */
  runStores<R>(message: M, work: () => R): R;
}

function open<M>(name: string): DiagnosticChannel<M> {
  return channel(`nestjs-kopf:${name}`) as unknown as DiagnosticChannel<M>;
}

/**
 * The channels by their messages. They are the ones that `channel(name)` of `node:diagnostics_channel` returns.
 *
 * @example
 * KOPF_CHANNELS.handlerEnd.subscribe(({ handler, duration }) => console.log(handler.id, duration));
 */
export const KOPF_CHANNELS = {
  /** An attempt of a handler begins; the handler is called in the storages that are bound to it. */
  handlerStart: open<HandlerMessage>('handler:start'),
  handlerEnd: open<HandlerMessage>('handler:end'),
  /** An event cycle begins; its handlers and requests run in the storages that are bound to it. */
  cycleStart: open<CycleMessage>('cycle:start'),
  cycleEnd: open<CycleMessage>('cycle:end'),
  /** A request is about to be sent. */
  requestStart: open<RequestMessage>('request:start'),
  requestEnd: open<RequestMessage>('request:end'),
  patchEnd: open<PatchMessage>('patch:end'),
  /** A review was received; its handlers are called in the storages that are bound to it. */
  reviewStart: open<ReviewMessage>('review:start'),
  reviewEnd: open<ReviewMessage>('review:end'),
  queueAdd: open<QueueAddMessage>('queue:add'),
  queueTake: open<QueueMessage>('queue:take'),
  queueDone: open<QueueMessage>('queue:done'),
  watch: open<WatchMessage>('watch'),
} as const;

/** Publishes the start of work, and runs the work in the storages bound to the channel and in the wrappers of subscribers. */
export function begin<M extends WorkMessage, R>(start: DiagnosticChannel<M>, message: M, work: () => R): R {
  if (!start.hasSubscribers) return work();
  return start.runStores(message, () => (message.surround ? message.surround(work) : work()));
}

/** Checks whether there are subscribers of the start or the end of work. */
export function hasSubscribers(
  start: { readonly hasSubscribers: boolean },
  end: { readonly hasSubscribers: boolean },
): boolean {
  return start.hasSubscribers || end.hasSubscribers;
}
