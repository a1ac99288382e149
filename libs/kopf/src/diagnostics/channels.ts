// diagnostics: what an operator does, told on channels of node:diagnostics_channel, so that metrics, tracing, and others can follow it
// without being known here. This file is all of it: which channels there are, and what is published on each of them.
// A channel without subscribers costs one look at a property. Nothing is measured, and no message is made, before somebody subscribes.
// May import: objects, resources.

import { channel } from 'node:diagnostics_channel';
import type { AsyncLocalStorage } from 'node:async_hooks';
import type { KubeObject, WatchEventType } from '../objects/kube-object.js';
import type { Resource } from '../resources/resources.js';

/**
 * Identifies an operator in messages. Channels are shared by all operators of a process, so subscribers compare this object to
 * tell the messages of one operator from those of others.
 */
export class OperatorIdentity {
  constructor(
    /** The operator's name, by which people tell it from others in the same process. */
    readonly name = 'default',
  ) {}
}

/** Has what all messages have in common. The same message is published at the start and, with its results, at the end. */
export interface DiagnosticMessage {
  /** The operator whose work it is. */
  readonly operator: OperatorIdentity;
}

/** Describes work that takes time. */
export interface TimedMessage extends DiagnosticMessage {
  /** Tells when it has begun, in milliseconds since the epoch. */
  readonly startedAt: number;
  /** Seconds that it took, with all waiting; set at the end. */
  duration?: number;
}

/** Calls the work, and returns what it returns. */
export type WorkCaller = <R>(work: () => R) => R;

/** Describes work that other work is a part of. */
export interface WorkMessage extends TimedMessage {
  /**
   * Calls the work. A subscriber of the start can set it, to have the work done in something that is no `AsyncLocalStorage`, such as the
   * context of a tracer; if it is set already, the subscriber's own calls that one. @default the work is called as it is
   */
  surround?: WorkCaller;
}

/** Describes one attempt of a handler of any kind: `nestjs-kopf:handler:start`, `nestjs-kopf:handler:end`. */
export interface HandlerMessage extends WorkMessage {
  /** The handler: its id, the method as it is named in messages, and the kind if it runs beside the events of the object. */
  readonly handler: {
    readonly id: string;
    readonly source: string;
    readonly kind?: 'daemon' | 'timer' | 'child' | 'reference' | 'log';
  };
  /** The resource of the object; absent if the handler handles none. */
  readonly resource?: Resource;
  /** The object; of daemons and timers its identity only. It can be a Secret. Absent if the handler handles none. */
  readonly body?: KubeObject;
  /** The reason of a change: `create`, `update`, `delete`, `resume`. */
  readonly reason?: string;
  /** Counts the attempts that were made before. */
  readonly retry: number;
  /** The {@link traceparent} of the attempt before; absent if it had none. */
  readonly previousTraceparent?: string;
  /**
   * Identifies the attempt for tracers: `00-{trace id}-{span id}-{flags}`, as in W3C Trace Context. A subscriber of the start can set it. It is
   * a part of the handler's progress until the handler has finished: of handlers of changes, it is stored with the object, so that
   * the next attempt has it as {@link previousTraceparent} also after a restart.
   */
  traceparent?: string;
  /** Tells how the attempt has ended; set at the end. */
  outcome?: {
    /** Is true if there will be no other attempt. */
    readonly final: boolean;
    /** Seconds until the next attempt, if there will be one. */
    readonly delay?: number;
    readonly error?: Error;
    /** An error of which the handler's mode says that it does not count. */
    readonly ignored?: Error;
    /** Is true if the error is the decision of a review, not a failure: what a user wants is rejected. */
    readonly rejected?: boolean;
  };
}

/** Describes one event cycle of an object: `nestjs-kopf:cycle:start`, `nestjs-kopf:cycle:end`. */
export interface CycleMessage extends WorkMessage {
  readonly resource: Resource;
  /** The object as the cycle has found it. It can be a Secret. */
  readonly body: KubeObject;
  /** The type of the event; `null` for an object that was listed. */
  readonly type: WatchEventType;
  /** Seconds of work, without the sleeps until handlers are due; set at the end. */
  work?: number;
  /**
   * Tells how the cycle has ended; set at the end: `done`; `waiting` if handlers are to be called later; `repeated` if the object is
   * processed once more at once; `failed` if an error of the framework has ended it.
   */
  result?: 'done' | 'waiting' | 'repeated' | 'failed';
  /** The error that has ended the cycle; errors of handlers are no such errors. */
  error?: unknown;
}

/** Describes one request to the API server, retries being requests of their own: `nestjs-kopf:request:start`, `nestjs-kopf:request:end`. */
export interface RequestMessage extends WorkMessage {
  readonly method: string;
  /** The path with the query. It has names of objects in it. */
  readonly path: string;
  /** The host of the API server, with the port if it is not the usual one. */
  readonly host: string;
  /** The headers to send, without credentials. At the start, subscribers may add some. */
  readonly headers: Record<string, string>;
  /** Is true for watches, which end as soon as the stream is open. */
  readonly streaming: boolean;
  /** The status of the response; absent if there is none. */
  status?: number;
  /** Why there is no response. */
  error?: unknown;
}

/** Describes the patch of an object, which takes none to four requests: `nestjs-kopf:patch:end`. */
export interface PatchMessage extends TimedMessage {
  readonly resource: Resource;
  /** The object as it was before. It can be a Secret. */
  readonly body: KubeObject;
  /** Tells how it has ended. */
  outcome: 'stored' | 'gone' | 'conflict' | 'rejected' | 'failed';
}

/** Describes a review, of admission or of the conversion of objects: `nestjs-kopf:review:start`, `nestjs-kopf:review:end`. */
export interface ReviewMessage extends WorkMessage {
  readonly kind: 'admission' | 'conversion';
  /** The id in the path of the webhook. It comes from outside, so it can be anything. */
  readonly webhook?: string;
  /** The headers of the request by which it came, by their names in lower case; credentials can be among them. */
  readonly headers: Readonly<Record<string, string>>;
  /** The review as it came; it is not trusted, and can hold a Secret. */
  readonly input: unknown;
  /** Tells whether the request was admitted, or all objects could be converted; absent if there was no answer. */
  allowed?: boolean;
  /** The code with which the request was rejected; 504 if the handlers have not answered in time. */
  rejection?: number;
  /** The HTTP status of the answer; set at the end. */
  code?: number;
  /** Why there is no answer. */
  error?: unknown;
}

/** Describes an event that a queue lets out: `nestjs-kopf:queue:take` and, when it was processed, `nestjs-kopf:queue:done`. */
export interface QueueMessage extends DiagnosticMessage {
  readonly resource: Resource;
  /** Seconds that the event has waited; absent if it has come before anybody subscribed. */
  readonly waited?: number;
  /** Seconds of work, without sleeps; set at the end. */
  work?: number;
}

/** Describes an event that comes into a queue: `nestjs-kopf:queue:add`. */
export interface QueueAddMessage extends DiagnosticMessage {
  readonly resource: Resource;
}

/** Describes what happens to a watch, but for its events: `nestjs-kopf:watch`. */
export interface WatchMessage extends DiagnosticMessage {
  readonly resource: Resource;
  /** The namespace; `undefined` for all of them. */
  readonly namespace: string | undefined;
  /** `restart`: it connects or lists again; `failure`: something unexpected has interrupted it; `bookmark`: a bookmark has come. */
  readonly what: 'restart' | 'failure' | 'bookmark';
  readonly error?: unknown;
}

/** A channel of Node, with the type of its messages. Subscribers must neither throw nor keep the process from going on. */
export interface DiagnosticChannel<M> {
  readonly name: string | symbol;
  readonly hasSubscribers: boolean;
  publish(message: M): void;
  subscribe(listener: (message: M, name: string | symbol) => void): void;
  unsubscribe(listener: (message: M, name: string | symbol) => void): boolean;
  /** Has the storage entered with what is made of the message, while the work that has started goes on. */
  bindStore<S>(storage: AsyncLocalStorage<S>, transform?: (message: M) => S): void;
  unbindStore<S>(storage: AsyncLocalStorage<S>): boolean;
  /** Publishes the message, and calls the function in the storages that were bound. */
  runStores<R>(message: M, work: () => R): R;
}

function open<M>(name: string): DiagnosticChannel<M> {
  return channel(`nestjs-kopf:${name}`) as unknown as DiagnosticChannel<M>;
}

/**
 * The channels by what is published on them. They are the same as `channel(name)` of `node:diagnostics_channel` returns.
 *
 * @example
 * KOPF_CHANNELS.handlerEnd.subscribe(({ handler, duration }) => console.log(handler.id, duration));
 */
export const KOPF_CHANNELS = {
  /** An attempt of a handler begins; the handler is called within the storages that are bound to it. */
  handlerStart: open<HandlerMessage>('handler:start'),
  handlerEnd: open<HandlerMessage>('handler:end'),
  /** An event cycle begins; its handlers and requests are within the storages that are bound to it. */
  cycleStart: open<CycleMessage>('cycle:start'),
  cycleEnd: open<CycleMessage>('cycle:end'),
  /** A request is about to be sent. */
  requestStart: open<RequestMessage>('request:start'),
  requestEnd: open<RequestMessage>('request:end'),
  patchEnd: open<PatchMessage>('patch:end'),
  /** A review has come; its handlers are called within the storages that are bound to it. */
  reviewStart: open<ReviewMessage>('review:start'),
  reviewEnd: open<ReviewMessage>('review:end'),
  queueAdd: open<QueueAddMessage>('queue:add'),
  queueTake: open<QueueMessage>('queue:take'),
  queueDone: open<QueueMessage>('queue:done'),
  watch: open<WatchMessage>('watch'),
} as const;

/** Publishes the start of work, and does it within what is bound to the channel and what subscribers have put around it. */
export function begin<M extends WorkMessage, R>(start: DiagnosticChannel<M>, message: M, work: () => R): R {
  if (!start.hasSubscribers) return work();
  return start.runStores(message, () => (message.surround ? message.surround(work) : work()));
}

/** Checks whether anybody wants to know of work that starts and ends. */
export function isFollowed(
  start: { readonly hasSubscribers: boolean },
  end: { readonly hasSubscribers: boolean },
): boolean {
  return start.hasSubscribers || end.hasSubscribers;
}
