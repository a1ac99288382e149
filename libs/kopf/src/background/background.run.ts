import { StopReason } from '../contexts/stop-flag.js';
import type { KopfLogger } from '../common/kopf.logger.js';
import type { BackgroundHandler, DaemonHandler } from '../registry/handler.js';
import { holdsDeletion } from '../registry/handler-selection.js';
import { errorText, type HeapTimer, Waiters } from 'kube-common';
import type { BackgroundTools } from './background.tools.js';
import type { BackgroundWork, WorkControl } from './background.work.js';
import { DaemonStopper } from './daemon.stopper.js';
import { HandlerCalls } from './handler.calls.js';
import type { BackgroundObject, ObjectBackground, ObjectRun } from './object.background.js';
import { stageOf, type TerminationPlan } from './termination.js';

/** A factory of the work of a run; the work calls the handler by `calls`. */
export type WorkFactory = (run: WorkControl, calls: HandlerCalls) => BackgroundWork;

/**
 * One daemon or one timer of one object, from its start to its exit: its work, which depends on the kind of the handler, and its
 * termination.
 *
 * It takes one place in the heap of timers: until it is asked to stop, for its work; afterwards, for its termination.
 */
export class BackgroundRun implements ObjectRun, WorkControl, HeapTimer {
  due = 0;
  order = 0;
  position = -1;
  readonly stopper: DaemonStopper;
  private readonly calls: HandlerCalls;
  private readonly work: BackgroundWork;
  private askedAt = 0;
  private exited = false;
  private readonly waiters = new Waiters();

  constructor(
    readonly handler: BackgroundHandler,
    private readonly owner: ObjectBackground,
    private readonly tools: BackgroundTools,
    logger: KopfLogger,
    createWork: WorkFactory,
    private readonly onExit: (run: BackgroundRun) => void,
  ) {
    // A daemon with a `cancellationBackoff` may still make requests during that time after the operator has paused.
    const isGraceful = (this.ownPlan.cancellationBackoff ?? 0) > 0;
    this.stopper = new DaemonStopper(tools.heap, isGraceful ? undefined : tools.leadership?.term);
    this.calls = new HandlerCalls(handler, owner, tools, logger, this.stopper);
    this.work = createWork(this, this.calls);
  }

  start(): void {
    this.work.start();
  }

  onEvent(): void {
    this.work.onEvent?.();
  }

  onIdlingReset(): void {
    this.work.onIdlingReset?.();
  }

  get object(): BackgroundObject {
    return this.owner.object;
  }

  get isStopping(): boolean {
    return this.stopper.isSet;
  }

  get isRestartable(): boolean {
    const final = StopReason.RESOURCE_DELETED | StopReason.OPERATOR_EXITING;
    return this.stopper.isSet && !this.isSettled && (this.stopper.reason & final) === 0;
  }

  get isCancelled(): boolean {
    return this.stopper.has(StopReason.DAEMON_CANCELLED);
  }

  get isSettled(): boolean {
    return this.exited || this.stopper.has(StopReason.DAEMON_ABANDONED);
  }

  get isScheduled(): boolean {
    return this.position >= 0;
  }

  settled(): Promise<void> {
    return this.isSettled ? Promise.resolve() : this.waiters.join();
  }

  schedule(due: number): void {
    this.tools.heap.schedule(this, due);
  }

  fire(): void {
    if (this.stopper.isSet) this.terminate();
    else this.work.onTime();
  }

  stop(reason: StopReason): void {
    if (this.exited) return;
    const isFirst = !this.stopper.isSet;
    this.stopper.set(reason);
    if (isFirst) {
      this.askedAt = this.tools.heap.monotonic();
      this.tools.heap.remove(this);
    }
    this.work.onStop(reason);
  }

  get left(): number | undefined {
    if (this.isSettled || this.work.isDraining) return undefined;
    return stageOf(this.plan, this.age).left ?? this.polling;
  }

  terminate(): void {
    if (this.isSettled || this.work.isDraining) return;
    const { stopper, handler } = this;
    const { logger } = this.calls;
    const { stage, left } = stageOf(this.plan, this.age);
    if (stage === 'signalled') {
      if (!stopper.has(StopReason.DAEMON_SIGNALLED)) logger.debug(`${handler.title} is signalled to exit gracefully.`);
      stopper.set(StopReason.DAEMON_SIGNALLED);
    } else if (!stopper.has(StopReason.DAEMON_CANCELLED)) {
      logger.debug(`${handler.title} is signalled to exit by force.`);
      stopper.cancel();
    }
    if (stage === 'abandoned') this.abandon();
    else if (left !== undefined) this.schedule(this.tools.heap.monotonic() + left * 1000);
  }

  fail(error: unknown): void {
    this.calls.logger.error(`${this.handler.title} has ended unexpectedly: ${errorText(error)}`, error);
    this.exit();
  }

  exit(): void {
    if (this.exited) return;
    this.exited = true;
    this.work.onExit?.();
    const isOnRequest = this.stopper.isSet;
    const how = isOnRequest ? 'on request' : 'on its own';
    this.calls.logger.debug(() => `${this.handler.title} has exited ${how} and will not be retried or restarted.`);
    const { tools, owner } = this;
    const isLast = [...owner.runs.values()].every((run) => run === this || !holdsDeletion(run.handler));
    const ending = !isOnRequest && owner.holdsAlone && isLast ? owner.createCause() : undefined;
    tools.heap.remove(this);
    owner.remove(this, !isOnRequest);
    this.stopper.set(StopReason.DONE);
    this.onExit(this);
    this.waiters.release();
    // No further event may come whose cycle would remove the finalizer.
    if (ending) void tools.patching.release(ending, owner, tools.sending, this.calls.term);
  }

  private abandon(): void {
    this.stopper.set(StopReason.DAEMON_ABANDONED);
    this.calls.logger.warn(`${this.handler.title} did not exit in time. Leaving it orphaned.`);
    this.waiters.release();
  }

  /** Seconds since the run was asked to stop. */
  private get age(): number {
    return (this.tools.heap.monotonic() - this.askedAt) / 1000;
  }

  private get plan(): TerminationPlan {
    const { exitTimeout } = this.tools.settings.background;
    const { cancellationBackoff = 0, cancellationTimeout } = this.ownPlan;
    const ofOperator = this.stopper.has(StopReason.OPERATOR_EXITING) ? exitTimeout : undefined;
    return { backoff: cancellationBackoff, timeout: cancellationTimeout ?? ofOperator };
  }

  /** The termination options of the handler; timers have none. */
  private get ownPlan(): Partial<DaemonHandler> {
    const { handler } = this;
    return handler.kind === 'daemon' ? handler : {};
  }

  private get polling(): number {
    return this.ownPlan.cancellationPolling ?? this.tools.settings.background.cancellationPolling;
  }
}
