import { Inject, Injectable } from '@nestjs/common';
import { HandlerExecutor, type ExecutionScope } from '../execution/handler.executor.js';
import { HandlerInvoker } from '../execution/handler.invoker.js';
import { allAtOnce } from '../execution/lifecycles.js';
import { ProgressState } from '../execution/progress.state.js';
import type { Clock } from 'kube-common';
import { steadyTime } from '../common/time.of-day.js';
import type { EventPoster } from '../contexts/object-events.js';
import { InjectOwn, KOPF_CLOCK } from '../kopf.tokens.js';
import type { IndexingHandler } from '../registry/handler.js';
import { selectIndexingHandlers } from '../registry/handler-selection.js';
import { IndexingCause, type CauseOrigin } from '../contexts/object.causes.js';
import { isPlainObject, NO_KEY } from './index.keys.js';
import { IndexRegistry } from './index.registry.js';

/** The progress of an object's indexing handlers that have failed. */
export interface IndexingMemory {
  indexing?: ProgressState;
}

/** What indexing needs of the session. */
export interface IndexingScope extends Pick<ExecutionScope, 'monitor'> {
  readonly events: EventPoster;
  /** Aborted when the operator stops waiting for handlers. */
  readonly ending: AbortSignal;
  /** Checks after the calls whether their results come too late, so that they are dropped. @default they never do */
  isOver?(): boolean;
}

/** The indexing of objects: it keeps the indices up to date. */
@Injectable()
export class ObjectIndexing {
  constructor(
    @InjectOwn(IndexRegistry) private readonly indices: IndexRegistry,
    @InjectOwn(HandlerExecutor) private readonly executor: HandlerExecutor,
    @Inject(HandlerInvoker) private readonly invoker: HandlerInvoker,
    @InjectOwn(KOPF_CLOCK) private readonly clock: Clock,
  ) {}

  /** Creates an indexing by the same handlers for other indices, so that those of a running operator can be checked. */
  withIndices(indices: IndexRegistry): ObjectIndexing {
    return new ObjectIndexing(indices, this.executor, this.invoker, this.clock);
  }

  /**
   * Calls the indexing handlers of an object, and puts what they return into the indices.
   *
   * Their errors are not thrown. Handlers that have failed are called again when their delay is over, or never after a permanent failure.
   *
   * @throws FilterError if a filter throws.
   */
  async index(
    registered: readonly IndexingHandler[],
    object: string,
    origin: CauseOrigin,
    memory: IndexingMemory,
    { events, ending, monitor, isOver }: IndexingScope,
  ): Promise<void> {
    const cause = new IndexingCause(origin);
    const handlers = selectIndexingHandlers(registered, cause);
    const state = (memory.indexing ?? new ProgressState(steadyTime(this.clock))).activate(handlers);
    const scope = { body: cause.body, events };
    const outcomes = await this.executor.executeOnce({
      handlers,
      state,
      logger: cause.logger,
      isTerse: true,
      cause,
      purpose: 'index',
      lifecycle: allAtOnce,
      errors: 'ignored',
      results: 'any',
      signal: ending,
      monitor,
      call: (handler, invocation) => this.invoker.invokeIndex(handler, cause, invocation, scope),
    });
    if (isOver?.()) return;
    for (const { id } of registered) {
      const outcome = outcomes.get(id);
      if (!outcome || outcome.error !== undefined) this.indices.writable(id).discard(object);
      else if (outcome.result !== undefined && outcome.result !== null) {
        this.indices.writable(id).replace(object, toEntries(outcome.result, cause));
      }
    }
    state.advance(outcomes);
    memory.indexing = state.dropSuccesses() ? state : undefined;
  }

  /** Removes an object from the indices. */
  discard(registered: readonly IndexingHandler[], object: string): void {
    for (const { id } of registered) this.indices.writable(id).discard(object);
  }
}

/**
 * Converts a result to entries: plain objects and maps have values for keys; anything else is one value, also parts of the object itself.
 */
function toEntries(result: unknown, { body, spec, meta, status, labels, annotations }: IndexingCause) {
  const parts: readonly unknown[] = [body, spec, meta, status, labels, annotations];
  if (result instanceof Map) return result as Map<unknown, unknown>;
  if (isPlainObject(result) && !parts.includes(result)) return Object.entries(result);
  return [[NO_KEY, result]] as const;
}
