import type { DaemonContext, EventContext, IndexContext, TimerContext } from '../contexts/contexts.interface.js';
import type { EventOptions, IndexOptions, DaemonOptions, TimerOptions } from './handler-options.js';
import { resourceDecorator } from './handler.metadata.js';
import type { ReadonlyIndex } from '../contexts/indices.interface.js';

/**
 * Calls the method for every event of the objects, without any state: there are no retries, and errors are only logged. The object gets no
 * annotations for such handlers. The method gets an {@link EventContext}.
 *
 * @example
 * @OnEvent('pods', { labels: { app: PRESENT } })
 * seen({ type, name }: EventContext) {}
 */
export const OnEvent = resourceDecorator<EventOptions, EventContext>('event', '@OnEvent');

/** Read access to an index, by injection or by the context. */
export interface Index<K = any, V = any> extends ReadonlyIndex<K, V> {}

/**
 * Keeps an index of objects in memory: the method is called for each object when it appears or changes.
 *
 * A returned `Map`, or a plain object, has values for keys; anything else is one value under the key `null`. `null` and `undefined` keep
 * the entries as they are. The name of the index is the name of the method, or the `id`. All indices are complete before any other handler
 * is called. The method must be fast, and gets an {@link IndexContext}.
 *
 * @example
 * @Index('pods')
 * podsByNode({ spec, namespace, name }: IndexContext) {
 *   return { [spec.nodeName ?? '']: `${namespace}/${name}` };
 * }
 */
export const Index = resourceDecorator<IndexOptions, IndexContext>('index', '@Index');

/**
 * Runs the method beside every object as long as the object exists and matches, and the operator does not pause: never twice at the same
 * time for one object. A daemon that returns, or fails for good, is not started again until the operator restarts. The object stays, held
 * by a finalizer, until its daemons have exited. The method gets a {@link DaemonContext}.
 *
 * @example
 * @Daemon('ephemeralvolumeclaims.kopf.dev', { cancellationTimeout: 5 })
 * async monitor({ spec, stopped, logger }: DaemonContext<ClaimSpec>) {
 *   while (!(await stopped.wait(10))) logger.log(`The size is ${spec.size}.`);
 * }
 */
export const Daemon = resourceDecorator<DaemonOptions, DaemonContext>('daemon', '@Daemon');

/**
 * Calls the method for every object on a schedule, as long as the object exists and matches. Invocations for one object never overlap;
 * errors have their own delays; a timer that fails for good ends. The method gets a {@link TimerContext}.
 *
 * @example
 * @Timer('ephemeralvolumeclaims.kopf.dev', { interval: 10, idle: 600 })
 * async ping({ name, patch }: TimerContext<ClaimSpec>) {
 *   patch.status.pinged = name;
 * }
 */
export const Timer = resourceDecorator<TimerOptions, TimerContext>('timer', '@Timer');
