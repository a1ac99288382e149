// activities: the handlers of the operator itself: startup, cleanup, login, and probes. They handle no object, and nothing about them is
// stored: retries happen at once, within the activity.
// May import: client, execution, and what these may import.

import { Inject, Injectable } from '@nestjs/common';
import type { ActivityKind, ActivityHandler } from '../registry/handler.js';
import { ActivityError } from './activity.error.js';
import { ActivityHandlerContext, type ActivityContextClass } from '../contexts/activity-handler.context.js';
import { HandlerExecutor } from '../execution/handler.executor.js';
import { HandlerInvoker } from '../execution/handler.invoker.js';
import type { Invocation } from '../contexts/invocation.js';
import { allAtOnce } from '../execution/lifecycles.js';
import { ProgressState } from '../execution/progress.state.js';
import { type Clock, errorText, sleep } from 'kube-common';
import { steadyTime } from '../common/time.of-day.js';
import type { ErrorsMode } from '../contexts/change-options.js';
import type { KopfLogger } from '../common/kopf.logger.js';
import { InjectOwn, KOPF_CLOCK, KOPF_LOGGER } from '../kopf.tokens.js';
import { HandlerRegistry } from '../registry/handler.registry.js';
import { OperatorEnvironment } from './operator.environment.js';

/** The options of one run of an activity. */
export interface ActivityRun {
  readonly handlers: readonly ActivityHandler[];
  /** Aborted to end the waiting for retries. */
  readonly signal: AbortSignal;
  /** The treatment of arbitrary errors of handlers without the option `errors`. @default 'temporary' */
  readonly errors?: ErrorsMode;
  /** Whether the run ends with the first result. @default false */
  readonly isFirstEnough?: boolean;
  /** Whether the results of handlers must be JSON, or can be anything. @default 'any' */
  readonly results?: 'json' | 'any';
  /** @default the operator's */
  readonly logger?: KopfLogger;
  /** The class of the handlers' contexts. @default the context of all activities */
  readonly Context?: ActivityContextClass;
  /** A wrapper of the calls of handlers; what it returns is the result. @default the handler is called directly */
  around?(call: () => unknown): unknown;
}

/** The results and failures of one run, by the ids of the handlers. */
export interface ActivityOutcome {
  /** The results of handlers, except `undefined` and `null`. */
  readonly results: ReadonlyMap<string, unknown>;
  readonly failures: ReadonlyMap<string, Error>;
}

/** The runner of activities: it calls their handlers at once, with retries, until all have finished. Nothing is stored. */
@Injectable()
export class ActivityRunner {
  /** The last errors of handlers that have not finished, by their methods, for each activity. */
  private readonly unfinished = new Map<ActivityKind, Map<string, Error | undefined>>();

  constructor(
    @InjectOwn(HandlerRegistry) private readonly registry: HandlerRegistry,
    @InjectOwn(HandlerExecutor) private readonly executor: HandlerExecutor,
    @Inject(HandlerInvoker) private readonly invoker: HandlerInvoker,
    @Inject(OperatorEnvironment) private readonly environment: OperatorEnvironment,
    @InjectOwn(KOPF_CLOCK) private readonly clock: Clock,
    @InjectOwn(KOPF_LOGGER) private readonly logger: KopfLogger,
  ) {}

  /**
   * Runs all handlers of the activity.
   *
   * @param signal aborting it ends the waiting for retries.
   * @param succeeded the handlers that have succeeded in an earlier run, which are not called again; those that succeed are added.
   * @throws ActivityError if any of them has failed for good, or was not retried any more.
   */
  async run(activity: ActivityKind, signal: AbortSignal, succeeded = new Set<ActivityHandler>()): Promise<void> {
    const handlers = this.registry.activitiesOf(activity).filter((handler) => !succeeded.has(handler));
    const { failures } = await this.execute({ handlers, signal });
    for (const handler of handlers) if (!failures.has(handler.source)) succeeded.add(handler);
    if (failures.size > 0) throw new ActivityError(activity, failures);
  }

  /**
   * Describes the handlers of the activity that have not finished, each with its last error; an empty text if the activity is not running.
   */
  describeUnfinished(activity: ActivityKind): string {
    const unfinished = [...(this.unfinished.get(activity) ?? [])];
    return unfinished.map(([source, error]) => (error ? `${source}: ${errorText(error)}` : source)).join('; ');
  }

  /** Runs handlers; never rejects. */
  async execute({ signal, isFirstEnough = false, ...run }: ActivityRun): Promise<ActivityOutcome> {
    const { executor, clock } = this;
    // Nothing is stored by the ids, so handlers of several classes may share them.
    const handlers = run.handlers.map((handler) => ({
      ...handler,
      id: `${handler.source}/${handler.id}`,
      loggedId: handler.id,
    }));
    const state = new ProgressState(steadyTime(clock)).activate(handlers);
    const results = new Map<string, unknown>();
    const failures = new Map<string, Error>();
    for (const handler of handlers) this.record(handler);
    while (!state.done) {
      const outcomes = await executor.executeOnce({
        handlers,
        state,
        logger: run.logger ?? this.logger,
        lifecycle: allAtOnce,
        errors: run.errors,
        results: run.results ?? 'any',
        signal,
        call: (handler, invocation) => this.track(handler, () => this.call(run, handler, invocation)),
      });
      state.advance(outcomes);
      for (const [id, { error, result, final }] of outcomes) {
        const handler = handlers.find((candidate) => candidate.id === id)!;
        const { source } = handler;
        this.record(handler, final ? 'finished' : error);
        if (error) failures.set(source, error);
        else failures.delete(source);
        if (result !== undefined && result !== null) results.set(id, result);
      }
      if (state.done || (isFirstEnough && results.size > 0)) break;
      if (!(await sleep(clock, Math.min(...state.delays), signal))) break;
    }
    for (const handler of handlers) this.record(handler, 'finished');
    return { results, failures };
  }

  /** Calls a handler, and records its end at once, as other handlers of the activity can take much longer. */
  private async track(handler: ActivityHandler, call: () => unknown): Promise<unknown> {
    if (!this.isUnfinished(handler)) this.record(handler);
    try {
      const result = await call();
      this.record(handler, 'finished');
      return result;
    } catch (error) {
      // The end of a call that the run no longer waits for is not recorded.
      if (this.isUnfinished(handler)) this.record(handler, error as Error);
      throw error;
    }
  }

  private isUnfinished({ activity, source }: ActivityHandler): boolean {
    return this.unfinished.get(activity)?.has(source) ?? false;
  }

  private record({ activity, source }: ActivityHandler, state?: Error | 'finished'): void {
    const unfinished = this.unfinished.get(activity) ?? new Map<string, Error | undefined>();
    if (state === 'finished') unfinished.delete(source);
    else unfinished.set(source, state);
    this.unfinished.set(activity, unfinished);
  }

  private call(
    run: Pick<ActivityRun, 'around' | 'Context'>,
    handler: ActivityHandler,
    invocation: Invocation,
  ): unknown {
    const { invoker, environment } = this;
    const { around = (call) => call(), Context = ActivityHandlerContext } = run;
    return around(() => invoker.invokeActivity(handler, Context, invocation, environment));
  }
}
