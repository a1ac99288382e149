import { StopReason } from '../contexts/stop-flag.js';
import type { Outcome } from '../execution/outcome.js';
import { ProgressState } from '../execution/progress.state.js';
import { deliverResults } from '../execution/results.js';
import { steadyTime } from '../common/time.of-day.js';
import { type KopfLogger, withFields } from '../common/kopf.logger.js';
import type { BackgroundHandler, DaemonHandler } from '../registry/handler.js';
import { holdsDeletion } from '../registry/handler-selection.js';
import type { SpawningCause } from '../contexts/object.causes.js';
import type { UnsentPatch } from '../objects/patch-content.js';
import { errorText, type HeapTimer, Waiters } from 'kube-common';
import { BackgroundAttempt } from './background.attempt.js';
import type { BackgroundPatchResult } from './background.patching.js';
import type { LeadershipTerm } from '../coordination/pausing/leadership.term.js';
import type { BackgroundTools } from './background.tools.js';
import { DaemonStopper } from './daemon.stopper.js';
import type { BackgroundObject, ObjectBackground } from './object.background.js';
import { stageOf, type TerminationPlan } from './termination.js';

/** Seconds until it is looked again whether a handler can be called whose operator's leadership has expired. */
export const LEADERSHIP_POLLING = 0.1;

/**
 * One daemon or one timer of one object, from its start to its exit.
 *
 * It has a single place in the heap of timers: for its own schedule while it may go on, for its termination afterwards.
 */
export abstract class BackgroundRun<H extends BackgroundHandler = BackgroundHandler> implements HeapTimer {
  /** Tells whether the handler is called again and again, as a timer's. */
  protected abstract get isRoutine(): boolean;

  due = 0;
  order = 0;
  position = -1;
  /** Holds what the last patch could not store; it is sent with the next one. */
  protected unsent?: UnsentPatch;
  protected readonly stopper: DaemonStopper;
  /** The leadership with which it was started. It is stopped with every pause, so there is no other one for it. */
  private readonly term?: LeadershipTerm;
  private askedAt = 0;
  private exited = false;
  private readonly waiters = new Waiters();

  constructor(
    readonly handler: H,
    protected readonly owner: ObjectBackground,
    protected readonly tools: BackgroundTools,
    private readonly objectLogger: KopfLogger,
    private readonly onExit: (run: BackgroundRun) => void,
  ) {
    this.term = tools.leadership?.term;
    // A daemon that is given time to finish when the operator pauses can make requests meanwhile.
    const isGraceful = (this.ownPlan.cancellationBackoff ?? 0) > 0;
    this.stopper = new DaemonStopper(tools.heap, isGraceful ? undefined : this.term);
  }

  /** Is made when a line is written, as there are many runs, and few lines. */
  private get logger(): KopfLogger {
    const { id, kind, className } = this.handler;
    return withFields(this.objectLogger, { handler: id, cause: kind }, className);
  }

  /** Begins: with the initial delay, or at once. */
  abstract start(): void;

  /** Called when an essential change of the object was noticed. */
  onIdlingReset(): void {}

  /** Called with each event of the object that the handler is still for. */
  onEvent(): void {}

  /** The object that it runs for. */
  get object(): BackgroundObject {
    return this.owner.object;
  }

  get isStopping(): boolean {
    return this.stopper.isSet;
  }

  /** Tells whether it stops for no final reason: it is needed again when the pause is over, or when the object matches again. */
  get isRestartable(): boolean {
    const final = StopReason.RESOURCE_DELETED | StopReason.OPERATOR_EXITING;
    return this.stopper.isSet && !this.isSettled && (this.stopper.reason & final) === 0;
  }

  get isCancelled(): boolean {
    return this.stopper.has(StopReason.DAEMON_CANCELLED);
  }

  /** Tells whether nothing is to be waited for: it has exited, or was abandoned. */
  get isSettled(): boolean {
    return this.exited || this.stopper.has(StopReason.DAEMON_ABANDONED);
  }

  /** Resolves when it has exited or was abandoned. */
  settled(): Promise<void> {
    return this.isSettled ? Promise.resolve() : this.waiters.join();
  }

  /** Asks it to stop. Harmless if it was asked before: the termination goes on as it has begun. */
  stop(reason: StopReason): void {
    if (this.exited) return;
    const isFirst = !this.stopper.isSet;
    this.stopper.set(reason);
    if (!isFirst) return;
    this.askedAt = this.tools.heap.monotonic();
    this.tools.heap.remove(this);
    this.onStop();
  }

  /** Seconds until a stopping run is to be looked at again, or `undefined` if there is nothing to wait for. */
  get left(): number | undefined {
    if (this.isSettled) return undefined;
    return stageOf(this.plan, this.age).left ?? this.polling;
  }

  /** Goes on with the termination as far as its time has come, and keeps going on when the time comes. */
  terminate(): void {
    if (this.isSettled) return;
    const { stopper, logger, handler } = this;
    const { stage, left } = stageOf(this.plan, this.age);
    if (stage === 'signalled') {
      if (!stopper.has(StopReason.DAEMON_SIGNALLED)) logger.debug(`${handler.title} is signalled to exit gracefully.`);
      stopper.set(StopReason.DAEMON_SIGNALLED);
    } else if (!stopper.has(StopReason.DAEMON_CANCELLED)) {
      logger.debug(`${handler.title} is signalled to exit by force.`);
      stopper.cancel();
    }
    if (stage === 'abandoned') this.abandon();
    else if (left !== undefined) this.tools.heap.schedule(this, this.tools.heap.monotonic() + left * 1000);
  }

  fire(): void {
    if (this.stopper.isSet) this.terminate();
    else this.onTime();
  }

  /** Called when the time of the own schedule has come. */
  protected abstract onTime(): void;

  /** Called once when it is asked to stop; exits now if nothing of the user's is running. */
  protected abstract onStop(): void;

  /** Ends the run, and nothing else, after an error that should not be. */
  protected fail(error: unknown): void {
    this.logger.error(`${this.handler.title} has ended unexpectedly: ${errorText(error)}`, error);
    this.exit();
  }

  /** Takes the run out of everything. One that exits without having been asked is not started again. */
  protected exit(): void {
    if (this.exited) return;
    this.exited = true;
    const isOnRequest = this.stopper.isSet;
    const how = isOnRequest ? 'on request' : 'on its own';
    this.logger.debug(() => `${this.handler.title} has exited ${how} and will not be retried or restarted.`);
    const { tools, owner } = this;
    const isLast = [...owner.runs.values()].every((run) => run === this || !holdsDeletion(run.handler));
    const ending = !isOnRequest && owner.holdsAlone && isLast ? owner.createCause() : undefined;
    tools.heap.remove(this);
    owner.remove(this, !isOnRequest);
    this.stopper.set(StopReason.DONE);
    this.onExit(this);
    this.waiters.release();
    // No event may come for long of which a cycle could find that the object need not be held any more.
    if (ending) void tools.patching.release(ending, owner, tools.sending, this.term);
  }

  /** Tells whether the handler can be called; if not, it is either stopped soon, or can be called soon. */
  protected get isAllowed(): boolean {
    return this.term?.isOpen ?? true;
  }

  protected createState(): ProgressState {
    return new ProgressState(steadyTime(this.tools.heap)).activate([this.handler]);
  }

  /** Seconds until the start. */
  protected initialDelay(): number {
    const { initialDelay = 0 } = this.handler;
    if (typeof initialDelay === 'number') return initialDelay;
    try {
      const seconds = initialDelay(this.owner.createCause().filterContext);
      if (typeof seconds !== 'number' || Number.isNaN(seconds)) throw new TypeError(`it is ${String(seconds)}`);
      return Math.max(0, seconds);
    } catch (error) {
      this.logger.error(`${this.handler.title} starts without its initial delay: ${errorText(error)}`, error);
      return 0;
    }
  }

  /** Prepares a call of the handler. */
  protected createAttempt(state: ProgressState): BackgroundAttempt {
    const { owner, tools, stopper, objectLogger, isRoutine } = this;
    return new BackgroundAttempt(
      state,
      owner.createAttemptCause(this.unsent),
      objectLogger,
      isRoutine,
      owner,
      tools,
      stopper,
    );
  }

  /** Calls the handler; never rejects. It returns the executor's own promise, as each pending function takes memory. */
  protected execute(attempt: BackgroundAttempt): Promise<Outcome> {
    return this.tools.executor.executeHandler<BackgroundHandler>(this.handler, attempt);
  }

  /**
   * Records what has come of a call, and sends what the handler wants to be changed. Never rejects.
   *
   * @returns why the API server rejects it, by which the attempt has failed
   */
  protected async conclude(attempt: BackgroundAttempt, outcome: Outcome): Promise<Error | undefined> {
    const { state, cause } = attempt;
    const outcomes = new Map([[this.handler.id, outcome]]);
    state.advance(outcomes);
    deliverResults(outcomes, cause.patch);
    const { patch, resource } = cause;
    if (!patch.isEmpty && !resource.subresources.includes('status')) patch.ignoreGeneration(this.owner.body);
    const { unsent, rejection } = await this.send(cause);
    this.unsent = unsent;
    if (rejection) this.tools.executor.failAttempt(this.handler, attempt, rejection, outcome);
    return rejection;
  }

  /** Reports that the last changes cannot be stored: there is no further attempt that could fail of it. */
  protected reportLoss(error: Error): void {
    this.logger.error(
      `${this.handler.title} wants changes that the API server rejects; they are lost: ${errorText(error)}`,
      error,
    );
  }

  /** Sends a patch. Never rejects. */
  protected send(cause: SpawningCause): Promise<BackgroundPatchResult> {
    const { patching, sending } = this.tools;
    return patching.send(cause, this.owner, sending, this.term);
  }

  private abandon(): void {
    this.stopper.set(StopReason.DAEMON_ABANDONED);
    this.logger.warn(`${this.handler.title} did not exit in time. Leaving it orphaned.`);
    this.waiters.release();
  }

  /** Seconds since it was asked to stop. */
  private get age(): number {
    return (this.tools.heap.monotonic() - this.askedAt) / 1000;
  }

  private get plan(): TerminationPlan {
    const { exitTimeout } = this.tools.settings.background;
    const { cancellationBackoff = 0, cancellationTimeout } = this.ownPlan;
    const ofOperator = this.stopper.has(StopReason.OPERATOR_EXITING) ? exitTimeout : undefined;
    return { backoff: cancellationBackoff, timeout: cancellationTimeout ?? ofOperator };
  }

  /** Holds the handler's own options of termination; timers have none. */
  private get ownPlan(): Partial<DaemonHandler> {
    const handler: BackgroundHandler = this.handler;
    return handler.kind === 'daemon' ? handler : {};
  }

  private get polling(): number {
    return this.ownPlan.cancellationPolling ?? this.tools.settings.background.cancellationPolling;
  }
}
