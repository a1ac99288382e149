import { Inject, Injectable } from '@nestjs/common';
import { HandlerChildrenRetry, PermanentError } from '../execution/handler.errors.js';
import { HandlerExecutor } from '../execution/handler.executor.js';
import type { Interruption } from '../execution/interruption.js';
import { HandlerInvoker } from '../execution/handler.invoker.js';
import type { Invocation } from '../contexts/invocation.js';
import { ProgressState } from '../execution/progress.state.js';
import { deliverResult } from '../execution/results.js';
import { Subhandling } from '../execution/subhandling.js';
import type { Lifecycle } from '../execution/lifecycle.interface.js';
import type { HandlingPurpose, ProgressStorage } from '../state/storages.js';
import { findInvalidIds } from '../state/annotation-keys.js';
import { StatusProgressStorage } from '../state/status-progress.storage.js';
import type { ChangingCause } from '../contexts/changing.cause.js';
import { deduplicate, type ChangingHandler } from '../registry/handler.js';
import { KopfSettings } from '../settings/kopf.settings.js';
import { InjectOwn, KOPF_LIFECYCLE } from '../kopf.tokens.js';
import { LateChanges, selectWithLate, type LateHandlers } from './late.changes.js';
import { NO_CONTENT, type PatchContent } from '../objects/patch-content.js';
import type { Outcome } from '../execution/outcome.js';
import type { SessionContext } from './session.context.js';

/** Seconds before the lifecycle is asked again, if it has picked none of the due handlers. */
const PICKING_DELAY = 1;

/** One step of handling, which all its handlers share; the sub-handlers of a handler have another step. */
export interface ChangeStep {
  readonly session: SessionContext;
  readonly cause: ChangingCause;
  readonly storage: ProgressStorage;
  /** Returns the time of the cycle, in milliseconds since the epoch. */
  readonly now: () => number;
  readonly signal: AbortSignal;
  /** Returns the interruption of a handler's attempt; absent for sub-handlers, which are interrupted with their parent. */
  interruptionOf?(handler: ChangingHandler): Interruption | undefined;
  /** The handlers that have already been called for a part of the change, so that they see a different change. */
  readonly late?: LateHandlers;
  /** For each ancestor of the sub-handlers, the set in which it collects the ids of all handlers below it. */
  readonly lineage: readonly Set<string>[];
}

/** One finished attempt of a handler, which is not stored yet. */
export interface ChangeAttempt {
  readonly handler: ChangingHandler;
  /** The content of the patch after the attempt. */
  readonly content: PatchContent;
  readonly outcome: Outcome;
}

/** The execution of the handlers of a change, and of their sub-handlers, in one step. */
@Injectable()
export class ChangeExecutor {
  constructor(
    @InjectOwn(HandlerExecutor) private readonly executor: HandlerExecutor,
    @Inject(HandlerInvoker) private readonly invoker: HandlerInvoker,
    @Inject(LateChanges) private readonly lateChanges: LateChanges,
    @InjectOwn(KopfSettings) private readonly settings: KopfSettings,
    @InjectOwn(KOPF_LIFECYCLE) private readonly lifecycle: Lifecycle,
  ) {}

  /** Executes the due handlers, and adds their results to the patch. Their progress is not stored yet. */
  async execute(
    handlers: readonly ChangingHandler[],
    state: ProgressState,
    step: ChangeStep,
  ): Promise<readonly ChangeAttempt[]> {
    const attempts: ChangeAttempt[] = [];
    const { cause, signal, session } = step;
    const outcomes = await this.executor.executeOnce({
      handlers,
      state,
      logger: cause.logger,
      cause,
      lifecycle: this.lifecycle,
      signal,
      interruptionOf: step.interruptionOf,
      monitor: session.monitor,
      scope: session,
      endsWithSignal: true,
      call: (handler, invocation) => {
        state.of(handler.id).attempted = true;
        return this.call(handler, invocation, step);
      },
      onOutcome: (handler, outcome) => {
        deliverResult(handler.id, outcome, cause.patch);
        // Without a status subresource, writing a result is another change of the object.
        if (!cause.isOfUsers && !cause.resource.subresources.includes('status'))
          cause.patch.ignoreGeneration(cause.body);
        // The changes of sub-handlers are a part of their parent's changes.
        const content = step.lineage.length === 0 ? cause.patch.snapshot() : NO_CONTENT;
        attempts.push({ handler, content, outcome });
      },
    });
    state.advance(outcomes);
    const attempted = attempts.map(({ handler }) => handler);
    this.lateChanges.note(attempted, state, cause, step.late);
    return attempts;
  }

  /** Calls one handler, and its sub-handlers. */
  call(handler: ChangingHandler, invocation: Invocation, step: ChangeStep): unknown {
    const cause = step.late?.get(handler)?.cause ?? step.cause;
    const ownCause = handler.field ? cause.reducedTo(handler.field) : cause;
    let nested: NestedStep | undefined;
    const execute = (children: readonly ChangingHandler[]): Promise<void> => {
      const { state, step: inner } = (nested ??= nest(step, ownCause, invocation));
      return this.executeChildren(children, state, inner);
    };
    const subhandling = new Subhandling(handler, execute, invocation);
    const { events } = step.session;
    return this.invoker.invokeChange(handler, ownCause, invocation, subhandling, { body: cause.body, events });
  }

  /** Executes sub-handlers, each of them once in one invocation of their parent. */
  private async executeChildren(
    registered: readonly ChangingHandler[],
    state: ProgressState,
    step: ChangeStep,
  ): Promise<void> {
    const { cause, storage, lineage } = step;
    this.checkIds(registered);
    const late = this.lateChanges.find(registered, cause, storage);
    const selected = selectWithLate(registered, cause, late);
    state.restore(deduplicate(registered), cause.body, storage).activate(selected);
    state.reopen([...late.keys()].map(({ id }) => id).filter((id) => !state.of(id).attempted));
    const left = selected.filter(({ id }) => !state.of(id).attempted);
    const attempts = await this.execute(left, state, { ...step, late });
    state.store(cause.body, cause.patch, storage);
    for (const id of state.ids()) for (const subrefs of lineage) subrefs.add(id);
    const delays = registered.length > 0 ? state.delaysOf(selected) : state.delays;
    if (delays.length === 0) return;
    const hasPicked = attempts.length > 0;
    throw new HandlerChildrenRetry(Math.min(...(hasPicked || left.length === 0 ? delays : delays.map(untilPicking))));
  }

  /**
   * Checks the ids of sub-handlers, which often come from the object: the API server would reject patches with invalid ids again and again,
   * after the handlers were called.
   */
  private checkIds(handlers: readonly ChangingHandler[]): void {
    if (this.settings.persistence.progressStorage instanceof StatusProgressStorage) return;
    const [invalid] = findInvalidIds(handlers.map(({ id }) => id));
    if (invalid === undefined) return;
    throw new PermanentError(
      `the sub-handler '${invalid}' cannot be stored; ids have only letters, digits, -, _, ., and /`,
    );
  }
}

/** The step of the sub-handlers of one invocation, with their progress; created for the first of them, as most handlers have none. */
interface NestedStep {
  readonly state: ProgressState;
  readonly step: ChangeStep;
}

/** Creates the step of sub-handlers. @param cause the cause that the parent was called with */
function nest(step: ChangeStep, cause: ChangingCause, invocation: Invocation): NestedStep {
  const { signal } = invocation;
  const lineage = [...step.lineage, invocation.openSubrefs()];
  return {
    state: new ProgressState(step.now, cause.reason as HandlingPurpose),
    step: { ...step, cause, late: undefined, interruptionOf: undefined, signal, lineage },
  };
}

/** Returns the seconds before the lifecycle is asked again about a handler that it has not picked, although the handler may be due. */
export function untilPicking(delay: number): number {
  return delay || PICKING_DELAY;
}
