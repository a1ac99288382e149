import type { ContainerMessage } from '../contexts/log.interface.js';
import type { SpawningCause } from '../contexts/object.causes.js';
import type { LeadershipTerm } from '../coordination/pausing/leadership.term.js';
import { type KopfLogger, withFields } from '../common/kopf.logger.js';
import { steadyTime } from '../common/time.of-day.js';
import type { Outcome } from '../execution/outcome.js';
import { ProgressState } from '../execution/progress.state.js';
import { deliverResults } from '../execution/results.js';
import type { UnsentPatch } from '../objects/patch-content.js';
import type { BackgroundHandler } from '../registry/handler.js';
import { errorText } from 'kube-common';
import { BackgroundAttempt, type AttemptScope } from './background.attempt.js';
import type { BackgroundPatchResult } from './background.patching.js';
import type { BackgroundTools } from './background.tools.js';
import type { DaemonStopper } from './daemon.stopper.js';
import type { ObjectBackground } from './object.background.js';

/** Seconds before the leadership is checked again, while it has expired and the handler cannot be called. */
export const LEADERSHIP_POLLING = 0.1;

/** The calls of one background handler for one object: the attempts, and the patches that result from them. */
export class HandlerCalls<H extends BackgroundHandler = BackgroundHandler> implements AttemptScope {
  /** The changes that the last patch could not store; they are sent with the next patch. */
  unsent?: UnsentPatch;
  /** The leadership term in which the run was started. Every pause stops the run, so it has no other term. */
  readonly term?: LeadershipTerm;

  constructor(
    readonly handler: H,
    readonly owner: ObjectBackground,
    readonly tools: BackgroundTools,
    private readonly objectLogger: KopfLogger,
    readonly stopper: DaemonStopper,
  ) {
    this.term = tools.leadership?.term;
  }

  /** The handler's logger. It is created with its first line, as there are many runs that log few lines. */
  get logger(): KopfLogger {
    const { id, kind, className } = this.handler;
    return withFields(this.objectLogger, { handler: id, cause: kind }, className);
  }

  /** Whether the handler can be called now. If not, the run is about to be stopped, or the leadership is about to be confirmed. */
  get isAllowed(): boolean {
    return this.term?.isOpen ?? true;
  }

  /** Computes the initial delay of the handler, in seconds. */
  initialDelay(): number {
    const { initialDelay = 0, title } = this.handler;
    if (typeof initialDelay === 'number') return initialDelay;
    try {
      const seconds = initialDelay(this.owner.createCause().filterContext);
      if (typeof seconds !== 'number' || Number.isNaN(seconds)) throw new TypeError(`it is ${String(seconds)}`);
      return Math.max(0, seconds);
    } catch (error) {
      this.logger.error(`${title} starts without its initial delay: ${errorText(error)}`, error);
      return 0;
    }
  }

  createState(): ProgressState {
    return new ProgressState(steadyTime(this.tools.heap)).activate([this.handler]);
  }

  /** Prepares an attempt. @param log the message that a log handler is called for */
  prepare(state: ProgressState, log?: ContainerMessage): BackgroundAttempt {
    this.owner.recordFailure(this.handler, undefined);
    const cause = this.owner.createAttemptCause(this.unsent);
    return new BackgroundAttempt(state, cause, log ? cause.logger : this.objectLogger, this, log);
  }

  /** Calls the handler; never rejects. Returns the executor's promise itself, as each additional pending function takes memory. */
  execute(attempt: BackgroundAttempt): Promise<Outcome> {
    return this.tools.executor.executeHandler<BackgroundHandler>(this.handler, attempt);
  }

  /**
   * Records the outcome of an attempt, and sends the patch of the handler. Never rejects.
   *
   * @returns the API server's reason for rejecting the patch, by which the attempt has failed
   */
  async conclude(attempt: BackgroundAttempt, outcome: Outcome): Promise<Error | undefined> {
    const { state, cause } = attempt;
    const outcomes = new Map([[this.handler.id, outcome]]);
    state.advance(outcomes);
    this.recordFailure(state);
    deliverResults(outcomes, cause.patch);
    const { patch, resource } = cause;
    if (!patch.isEmpty && !resource.subresources.includes('status')) patch.ignoreGeneration(this.owner.body);
    const { unsent, rejection } = await this.send(cause);
    this.unsent = unsent;
    if (rejection) {
      this.tools.executor.failAttempt(this.handler, attempt, rejection, outcome);
      this.recordFailure(state);
    }
    return rejection;
  }

  /** Sends a patch. Never rejects. */
  send(cause: SpawningCause): Promise<BackgroundPatchResult> {
    const { patching, sending } = this.tools;
    return patching.send(cause, this.owner, sending, this.term);
  }

  private recordFailure(state: ProgressState): void {
    const progress = state.of(this.handler.id);
    this.owner.recordFailure(this.handler, progress.message === undefined ? undefined : progress.toRecord());
  }
}
