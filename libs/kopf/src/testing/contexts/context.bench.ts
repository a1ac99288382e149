import type { DaemonStopper } from '../../background/daemon.stopper.js';
import type { ChangeContext } from '../../contexts/contexts.interface.js';
import { exposeMembers } from '../../contexts/context.members.js';
import type { Indices, ReadonlyIndex } from '../../contexts/indices.interface.js';
import { Invocation, type SubhandlerExecution } from '../../contexts/invocation.js';
import type { CauseOrigin } from '../../contexts/object.causes.js';
import { InvocationScopes, type InvocationScope } from '../../execution/invocation.scope.js';
import { ObjectIndex } from '../../indexing/object.index.js';
import type { KubeObject } from '../../objects/kube-object.js';
import { ResourcePatch } from '../../objects/patches.js';
import type { Resource } from '../../resources/resources.js';
import { EventRecorder } from '../records/event.recorder.js';
import { LogRecorder } from '../records/log.recorder.js';
import type { TestContextOptions } from './test-context.options.js';
import { createTestObject, resourceOf } from './test.object.js';
import { TestSubhandling } from './test.subhandling.js';
import { VirtualClock } from '../time/virtual.clock.js';

/** The key of the bench in a context. */
const BENCH = Symbol('bench');

/** The records of a handler that is called with a context of a test. */
export interface ContextRecords {
  /** The Kubernetes events that were posted. */
  readonly events: EventRecorder;
  /** The lines that were logged with the context's `logger`, without the name of the object. */
  readonly logs: LogRecorder;
  /** The time of the context; it passes in {@link callHandler}. */
  readonly clock: VirtualClock;
  /** The ids of the sub-handlers that were added, in their order. */
  readonly subhandlers: readonly string[];
  /** @internal */
  readonly [BENCH]: ContextBench;
}

/** A context of a test, with what is recorded of the handler. */
export type Recorded<Context> = Context & ContextRecords;

/** The environment of a handler that is called in a test, and the records of its call. */
export class ContextBench implements CauseOrigin, InvocationScope {
  readonly body: KubeObject;
  readonly resource: Resource;
  readonly patch = new ResourcePatch();
  readonly memory: { readonly memo: unknown };
  readonly indices: Indices;
  readonly logger = new LogRecorder();
  readonly events = new EventRecorder();
  readonly clock: VirtualClock;
  readonly stopper?: DaemonStopper;
  readonly invocation: Invocation;
  private subhandling?: TestSubhandling;

  constructor(options: TestContextOptions, createStopper?: (clock: VirtualClock) => DaemonStopper) {
    const { memo = {}, indices = {}, clock = new VirtualClock(), param, retry = 0, runtime = 0 } = options;
    this.body = createTestObject(options);
    this.resource = resourceOf(this.body, options.resource);
    this.memory = { memo };
    this.indices = Object.fromEntries(
      Object.entries(indices).map(([name, entries]) => [name, toIndex(entries)]),
    ) as Indices;
    this.clock = clock;
    this.stopper = createStopper?.(clock);
    const signal = options.signal ?? this.stopper?.signal ?? new AbortController().signal;
    const started = clock.now() - runtime * 1000;
    const progress = { retries: retry, started, runtime: () => runtime };
    this.invocation = new Invocation({ param }, progress, clock.now(), { signal }, this.logger);
  }

  /** Takes the sub-handlers of the handler. @param createContext makes the context of a sub-handler. */
  subhandlers(createContext: (subhandling: SubhandlerExecution) => ChangeContext): TestSubhandling {
    this.subhandling = new TestSubhandling(createContext);
    return this.subhandling;
  }

  /** Adds what is recorded to a context. */
  record<Context extends object>(context: Context): Recorded<Context> {
    const { events, logger: logs, clock, subhandling } = this;
    const subhandlers = subhandling?.ids ?? [];
    const records: ContextRecords = { events, logs, clock, subhandlers, [BENCH]: this };
    return Object.assign(exposeMembers(context), records);
  }

  /** Calls a handler in the scope of its object, with its sub-handlers. */
  run<Result>(call: () => Result | PromiseLike<Result>): Promise<Result> {
    const running = new InvocationScopes().run(this, async () => {
      const result = await call();
      await this.subhandling?.finish();
      return result;
    });
    return this.clock.runUntil(Promise.resolve(running));
  }
}

/**
 * Calls a handler as the operator does: `adopt()`, `event()`, and other functions find the object, sub-handlers that it has added are called
 * after it, and virtual time passes until it has finished. Errors are passed on; nothing is retried.
 *
 * @example
 * const context = changeContext({ spec: { size: '1G' } });
 * expect(await callHandler(context, () => operator.create(context))).toEqual({ 'pvc-name': 'example' });
 */
export function callHandler<Result>(
  context: ContextRecords,
  call: () => Result | PromiseLike<Result>,
): Promise<Result> {
  return context[BENCH].run(call);
}

function toIndex(entries: Iterable<readonly [key: any, value: any]>): ReadonlyIndex {
  const index = new ObjectIndex();
  let count = 0;
  // Each entry is of another object, so that several of one key stay.
  for (const entry of entries) index.replace(String((count += 1)), [entry]);
  return index;
}
