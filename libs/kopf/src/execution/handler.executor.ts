// execution: how a handler of any kind is called: whether it is due, its limits and its deadline, the call in its scope, and the outcome of
// results and errors; also the progress over several attempts, sub-handlers, and throttling after unexpected errors. The callers decide
// what follows from an outcome.
// May import: registry and what it may import, settings; no requests.

import { Injectable } from '@nestjs/common';
import { HandlerChildrenRetry, HandlerRetriesError, HandlerTimeoutError, PermanentError } from './handler.errors.js';
import { type Clock, errorText, formatTimeSpan, isThenable, type Random, settlesAtOnce } from 'kube-common';
import type { ErrorsMode } from '../contexts/change-options.js';
import type { Lifecycle } from './lifecycle.interface.js';
import { type KopfLogger, TerseLogger, withFields } from '../common/kopf.logger.js';
import { InjectOwn, KOPF_CLOCK, KOPF_RANDOM } from '../kopf.tokens.js';
import {
  begin,
  hasSubscribers,
  KOPF_CHANNELS,
  OperatorIdentity,
  type HandlerMessage,
} from '../diagnostics/channels.js';
import { toJsonValue } from '../objects/json-values.js';
import type { KubeObject } from '../objects/kube-object.js';
import type { ResourcePatch } from '../objects/patches.js';
import type { Handler } from '../registry/handler.js';
import type { Resource } from '../resources/resources.js';
import { KopfSettings } from '../settings/kopf.settings.js';
import { interpretError } from './error-interpretation.js';
import type { HandlerProgress } from './handler.progress.js';
import { Invocation } from '../contexts/invocation.js';
import { createDeadline } from './deadline.js';
import type { BlockageMonitor } from './blockage.monitor.js';
import type { Interruption } from './interruption.js';
import type { Outcome, Outcomes } from './outcome.js';
import type { ProgressState } from './progress.state.js';
import { SlowHandlers, type PendingCall } from './slow.handlers.js';

/** The object that a handler is called for, and the reason. */
export interface ExecutionCause {
  readonly resource: Resource;
  readonly body: KubeObject;
  /** The reason of a change. */
  readonly reason?: string;
  /** The patch that the handler writes to. */
  readonly patch?: Pick<ResourcePatch, 'settle'>;
}

/** The scope of all executions of a session. */
export interface ExecutionScope {
  /** Aborted when handlers are not waited for any longer, or when the leadership is lost. */
  readonly signal: AbortSignal;
  /** Awaited before each handler, as the leadership may have expired; absent if there is nothing to wait for. */
  readonly pending?: Promise<void>;
  /** The monitor that finds the call by which the event loop was blocked. */
  readonly monitor?: BlockageMonitor;
}

/** The execution of a single handler. */
export interface SingleExecution<H extends Handler> {
  readonly state: ProgressState;
  readonly logger: KopfLogger;
  /** The cause of the call, for diagnostics; absent if no object is handled. */
  readonly cause?: ExecutionCause;
  /** How arbitrary errors are treated, unless the handler has an option for it. @default 'temporary' */
  readonly errors?: ErrorsMode;
  /** Aborted when handlers are not waited for any longer. */
  readonly signal: AbortSignal;
  /** Returns the interruption that can end an attempt of the handler. @default only the signal ends it */
  interruptionOf?(handler: H): Interruption | undefined;
  /** The monitor that finds the call by which the event loop was blocked. @default calls are not monitored */
  readonly monitor?: BlockageMonitor;
  /** Whether the results of handlers must be JSON. @default 'json' */
  readonly results?: 'json' | 'any';
  /** The purpose of the call, for log lines. @default the reason of the cause, or the kind of the handler */
  readonly purpose?: string;
  /** Whether attempts that do not fail are not logged, for handlers that are called very often. @default false */
  readonly isTerse?: boolean;
  /** Whether the handlers review a request, so that an error can be their decision; there is no other attempt. @default false */
  readonly isReview?: boolean;
  /** Whether the handlers are expected not to return, as daemons are. @default false */
  readonly isEndless?: boolean;
  /** Calls the handler with its context. */
  call(handler: H, invocation: Invocation): unknown;
}

/** The execution of the handlers in one event cycle. */
export interface Execution<H extends Handler> extends SingleExecution<H> {
  readonly handlers: readonly H[];
  readonly lifecycle: Lifecycle;
  /** Whether handlers that were not called yet are skipped once the signal is aborted. @default false */
  readonly endsWithSignal?: boolean;
  /** Called after each handler, before the next one. */
  onOutcome?(handler: H, outcome: Outcome): void;
  /** The scope with the promise to await before each handler, as the leadership may have expired. @default none */
  readonly scope?: Pick<ExecutionScope, 'pending'>;
}

/**
 * The execution of handlers: it calls those that are due, and turns what they return and throw into outcomes. It never throws their errors.
 */
@Injectable()
export class HandlerExecutor {
  private readonly slow: SlowHandlers;

  constructor(
    @InjectOwn(KOPF_CLOCK) private readonly clock: Clock,
    @InjectOwn(KOPF_RANDOM) private readonly random: Random,
    @InjectOwn(KopfSettings) private readonly settings: KopfSettings,
    @InjectOwn(OperatorIdentity) private readonly operator = new OperatorIdentity(),
  ) {
    this.slow = new SlowHandlers(clock, () => settings.execution.slowHandlerWarning);
  }

  /**
   * Executes the due handlers that the lifecycle picks, one after another.
   *
   * @throws TypeError if the lifecycle returns anything but due handlers; and what the lifecycle itself throws.
   */
  async executeOnce<H extends Handler>(execution: Execution<H>): Promise<Outcomes> {
    const outcomes = new Map<string, Outcome>();
    for (const handler of this.plan(execution)) {
      const pending = execution.scope?.pending;
      if (pending) await pending;
      if (execution.endsWithSignal && execution.signal.aborted) break;
      const outcome = await this.executeHandler(handler, execution);
      outcomes.set(handler.id, outcome);
      execution.onOutcome?.(handler, outcome);
    }
    return outcomes;
  }

  /** The calls that have not returned, the longest one first, without daemons; none if `execution.slowHandlerWarning` is `null`. */
  get pending(): Iterable<PendingCall> {
    return this.slow.pending;
  }

  /** Executes a handler that is known to be due. */
  executeHandler<H extends Handler>(handler: H, execution: SingleExecution<H>): Promise<Outcome> {
    const { handlerStart, handlerEnd } = KOPF_CHANNELS;
    return hasSubscribers(handlerStart, handlerEnd)
      ? this.attemptFollowed(handler, execution)
      : this.attempt(handler, execution);
  }

  /** Makes an attempt, and publishes its start and its end on the diagnostic channels. */
  private attemptFollowed<H extends Handler>(handler: H, execution: SingleExecution<H>): Promise<Outcome> {
    const { resource, body, reason } = execution.cause ?? {};
    const { operator, clock } = this;
    const progress = execution.state.of(handler.id);
    const { retries: retry, traceparent: previousTraceparent } = progress;
    const startedAt = clock.now();
    const message: HandlerMessage = {
      operator,
      handler,
      resource,
      body,
      reason,
      retry,
      previousTraceparent,
      startedAt,
    };
    const begun = clock.monotonic();
    return begin(KOPF_CHANNELS.handlerStart, message, () =>
      this.attempt(handler, execution).then((outcome) => {
        progress.traceparent = message.traceparent;
        message.outcome = outcome;
        message.duration = (clock.monotonic() - begun) / 1000;
        KOPF_CHANNELS.handlerEnd.publish(message);
        return outcome;
      }),
    );
  }

  private async attempt<H extends Handler>(handler: H, execution: SingleExecution<H>): Promise<Outcome> {
    const { monitor } = execution;
    const progress = execution.state.of(handler.id);
    const handlerLogger = attemptLogger(handler, execution, progress.retries);
    const logger = execution.isTerse ? new TerseLogger(handlerLogger) : handlerLogger;
    const now = execution.state.now();
    const interruption = execution.interruptionOf?.(handler);
    const deadline = createDeadline(this.clock, handler, progress.runtime(now), interruption ?? execution, logger);
    const invocation = new Invocation(handler, progress, now, deadline, handlerLogger);
    try {
      logger.debug(() => `${handler.title} is invoked.`);
      this.checkLimits(handler, progress, now);
      const returned = observe(handler, monitor, logger, () =>
        deadline.race(() => this.call(handler, execution, invocation)),
      );
      const result = isThenable(returned) ? await this.watch(returned, handler, execution, logger) : returned;
      execution.cause?.patch?.settle();
      const stored = execution.results === 'any' ? result : this.toResult(handler, result);
      logger.debug(() => `${handler.title} succeeded.`);
      return { final: true, result: stored, subrefs: invocation.subrefs };
    } catch (error) {
      settleAfterError(execution.cause?.patch, handler, logger);
      return this.interpret(
        interruption ? interruption.explain(error) : error,
        handler,
        { state: execution.state, errors: execution.errors, isReview: execution.isReview, logger },
        progress.retries,
        invocation.subrefs,
      );
    } finally {
      monitor?.onSettled(handler, logger);
      deadline.clear();
      interruption?.end();
    }
  }

  /** Calls the handler of an attempt. */
  protected call<H extends Handler>(handler: H, execution: SingleExecution<H>, invocation: Invocation): unknown {
    return execution.call(handler, invocation);
  }

  private async watch<H extends Handler>(
    returned: PromiseLike<unknown>,
    handler: H,
    { isEndless, cause, state }: SingleExecution<H>,
    logger: KopfLogger,
  ): Promise<unknown> {
    if (isEndless || (await settlesAtOnce(returned))) return returned;
    const call = this.slow.begin(handler, logger, state.of(handler.id).retries + 1, cause?.body?.metadata.uid);
    try {
      return await returned;
    } finally {
      this.slow.end(call);
    }
  }

  /**
   * Turns the last attempt of a handler into a failure, by the handler's mode of errors, as the API server rejects its changes. An attempt
   * that has failed anyway stays as it is.
   *
   * @param attempted the outcome of the attempt. If its sub-handlers wait, the next attempt is not made earlier.
   */
  failAttempt<H extends Handler>(
    handler: H,
    execution: Pick<SingleExecution<H>, 'state' | 'logger' | 'errors' | 'cause'>,
    error: Error,
    attempted: Outcome,
  ): void {
    const { state, errors } = execution;
    const progress = state.of(handler.id);
    const retries = progress.retries - 1;
    const logger = attemptLogger(handler, execution, retries);
    if (attempted.error && !(attempted.error instanceof HandlerChildrenRetry)) {
      logger.error(`The API server rejects what ${handler.title} wants, which has failed: ${error.message}`, error);
      return;
    }
    const { delay = 0 } = attempted;
    const outcome = this.interpret(error, handler, { state, errors, logger }, retries, new Set());
    const isRepeated = !outcome.final && outcome.delay !== undefined;
    progress.amend(isRepeated ? { ...outcome, delay: Math.max(outcome.delay!, delay) } : outcome, state.now());
  }

  private interpret<H extends Handler>(
    error: unknown,
    handler: H,
    { state, logger, errors, isReview }: Pick<SingleExecution<H>, 'state' | 'logger' | 'errors' | 'isReview'>,
    retries: number,
    subrefs: ReadonlySet<string>,
  ): Outcome {
    return interpretError(error, {
      handler,
      retries,
      runtime: state.of(handler.id).runtime(state.now()),
      errors: handler.errors ?? errors ?? 'temporary',
      backoff: handler.backoff ?? this.settings.execution.defaultBackoff,
      logger,
      isReview,
      subrefs,
    });
  }

  private plan<H extends Handler>({ handlers, state, lifecycle }: Execution<H>): ReadonlySet<H> {
    const now = state.now();
    const due = handlers.filter(({ id }) => state.of(id).isDue(now));
    // Users' lifecycles need not handle an empty list.
    if (due.length === 0) return new Set();
    const chosen: unknown = lifecycle(due, { retriesOf: ({ id }) => state.of(id).retries, random: this.random });
    if (!Array.isArray(chosen) || !chosen.every((handler: H) => due.includes(handler))) {
      throw new TypeError('The lifecycle has not returned a list of the handlers that it was given.');
    }
    return new Set<H>(chosen);
  }

  private checkLimits(handler: Handler, progress: HandlerProgress, now: number): void {
    const runtime = progress.runtime(now);
    if (handler.timeout !== undefined && runtime >= handler.timeout) {
      throw new HandlerTimeoutError(`${handler.title} has timed out after ${formatTimeSpan(runtime)}.`);
    }
    if (handler.retries !== undefined && progress.retries >= handler.retries) {
      throw new HandlerRetriesError(`${handler.title} has exceeded ${progress.retries} retries.`);
    }
  }

  private toResult(handler: Handler, result: unknown): unknown {
    try {
      return toJsonValue(result, 'result');
    } catch (error) {
      throw new PermanentError(`${handler.title} returned what JSON cannot hold: ${(error as Error).message}.`);
    }
  }
}

/** Removes what cannot be sent from the patch. The handler has failed already, so this is not another failure. */
function settleAfterError(patch: ExecutionCause['patch'], { title }: Handler, logger: KopfLogger): void {
  try {
    patch?.settle();
  } catch (error) {
    logger.error(`${title} has left in its patch what is not sent: ${errorText(error)}`);
  }
}

/** Returns the logger of an attempt, with the handler among its fields, and the handler's class as its context. */
function attemptLogger(
  handler: Handler & { readonly kind?: string; readonly activity?: string },
  { logger, cause, purpose }: Pick<SingleExecution<Handler>, 'logger' | 'cause' | 'purpose'>,
  retries: number,
): KopfLogger {
  const reason = cause?.reason ?? purpose ?? handler.kind ?? handler.activity;
  return withFields(
    logger,
    { handler: handler.loggedId ?? handler.id, attempt: retries + 1, cause: reason },
    handler.className,
  );
}

/** Calls a handler, and reports to the monitor how long its synchronous part has taken. */
function observe<T>(handler: Handler, monitor: BlockageMonitor | undefined, logger: KopfLogger, call: () => T): T {
  if (!monitor) return call();
  monitor.begin();
  try {
    return call();
  } finally {
    monitor.onReturned(handler, logger);
  }
}
