// activities: the handlers of the operator's own life: startup, cleanup, login, and probes. They handle no object, and nothing
// of theirs is stored: retries happen at once, within the activity.
// May import: client, execution, and what these may import.

import { Inject, Injectable } from '@nestjs/common';
import type { Activity, ActivityHandler } from '../registry/handler.js';
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
import { KOPF_CLOCK, KOPF_LOGGER } from '../kopf.tokens.js';
import { HandlerRegistry } from '../registry/handler.registry.js';
import { OperatorEnvironment } from './operator.environment.js';

/** Configures one run of an activity. */
export interface ActivityRun {
  readonly handlers: readonly ActivityHandler[];
  /** Aborting it ends the waiting for retries. */
  readonly signal: AbortSignal;
  /** Decides how arbitrary errors are treated where the handler does not say. @default 'temporary' */
  readonly errors?: ErrorsMode;
  /** Ends the run at the first result. @default false */
  readonly isFirstEnough?: boolean;
  /** Restricts the results of handlers to JSON, or takes anything as it is. @default 'any' */
  readonly results?: 'json' | 'any';
  /** @default the operator's */
  readonly logger?: KopfLogger;
  /** Replaces the class of the handlers' contexts. @default the context of all activities */
  readonly Context?: ActivityContextClass;
  /** Surrounds the call of a handler, and returns what the handler is taken to have returned. @default nothing is done around it */
  around?(call: () => unknown): unknown;
}

/** Reports how an activity ended, by the ids of the handlers. */
export interface ActivityOutcome {
  /** Holds the results of handlers that have returned any. */
  readonly results: ReadonlyMap<string, unknown>;
  readonly failures: ReadonlyMap<string, Error>;
}

/** Runs the handlers of the operator's own life: at once, with retries, until all have finished. Nothing is stored. */
@Injectable()
export class ActivityRunner {
  /** Holds the last errors of handlers that have not finished, by their sources; the handlers of each activity apart. */
  private readonly unfinished = new Map<Activity, Map<string, Error | undefined>>();

  constructor(
    @Inject(HandlerRegistry) private readonly registry: HandlerRegistry,
    @Inject(HandlerExecutor) private readonly executor: HandlerExecutor,
    @Inject(HandlerInvoker) private readonly invoker: HandlerInvoker,
    @Inject(OperatorEnvironment) private readonly environment: OperatorEnvironment,
    @Inject(KOPF_CLOCK) private readonly clock: Clock,
    @Inject(KOPF_LOGGER) private readonly logger: KopfLogger,
  ) {}

  /**
   * Runs all handlers of the activity.
   *
   * @param signal aborting it ends the waiting for retries.
   * @param succeeded holds the handlers that are not called, as they have succeeded in an earlier run; those that succeed are added.
   * @throws ActivityError if any of them has failed for good, or was not retried any more.
   */
  async run(activity: Activity, signal: AbortSignal, succeeded = new Set<ActivityHandler>()): Promise<void> {
    const handlers = this.registry.activitiesOf(activity).filter((handler) => !succeeded.has(handler));
    const { failures } = await this.execute({ handlers, signal });
    for (const handler of handlers) if (!failures.has(handler.source)) succeeded.add(handler);
    if (failures.size > 0) throw new ActivityError(activity, failures);
  }

  /** Names the handlers of the activity that have not finished, each with its last error; empty if nothing is under way. */
  describeUnfinished(activity: Activity): string {
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
    for (const handler of handlers) this.note(handler);
    while (!state.done) {
      const outcomes = await executor.executeOnce({
        handlers,
        state,
        logger: run.logger ?? this.logger,
        lifecycle: allAtOnce,
        errors: run.errors,
        results: run.results ?? 'any',
        signal,
        call: (handler, invocation) => this.follow(handler, () => this.call(run, handler, invocation)),
      });
      state.advance(outcomes);
      for (const [id, { error, result, final }] of outcomes) {
        const handler = handlers.find((candidate) => candidate.id === id)!;
        const { source } = handler;
        this.note(handler, final ? 'finished' : error);
        if (error) failures.set(source, error);
        else failures.delete(source);
        if (result !== undefined && result !== null) results.set(id, result);
      }
      if (state.done || (isFirstEnough && results.size > 0)) break;
      if (!(await sleep(clock, Math.min(...state.delays), signal))) break;
    }
    for (const handler of handlers) this.note(handler, 'finished');
    return { results, failures };
  }

  /** Takes note of how a call ends when it does, as the others of its activity can take much longer. */
  private async follow(handler: ActivityHandler, call: () => unknown): Promise<unknown> {
    if (!this.isUnfinished(handler)) this.note(handler);
    try {
      const result = await call();
      this.note(handler, 'finished');
      return result;
    } catch (error) {
      // A call that was not waited for any longer is of no interest.
      if (this.isUnfinished(handler)) this.note(handler, error as Error);
      throw error;
    }
  }

  private isUnfinished({ activity, source }: ActivityHandler): boolean {
    return this.unfinished.get(activity)?.has(source) ?? false;
  }

  private note({ activity, source }: ActivityHandler, state?: Error | 'finished'): void {
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
