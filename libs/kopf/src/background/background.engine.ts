// background: the handlers that run beside the event cycles of an object: daemons, timers, handlers of logs and of related objects; each
// from its start to its exit, with stepwise termination, idle times, schedules, and patches that only it sends. In each cycle, handling/
// selects the handlers that match the object.
// May import: client, execution, coordination, and what these may import.

import { StopReason } from '../contexts/stop-flag.js';
import { isSameAs, type BackgroundHandler, type Handler, type LogHandler } from '../registry/handler.js';
import { selectSpawningHandlers } from '../registry/handler-selection.js';
import type { SpawningCause } from '../contexts/object.causes.js';
import { sleep } from 'kube-common';
import { BackgroundRun } from './background.run.js';
import type { BackgroundTools } from './background.tools.js';
import type { BackgroundWork, WorkControl } from './background.work.js';
import { DaemonWork } from './daemon.work.js';
import type { HandlerCalls } from './handler.calls.js';
import { LogWork } from './log.work.js';
import type { ObjectBackground, ObjectRun } from './object.background.js';
import { RelatedWork, type RelatedHandler } from './related.work.js';
import { scheduleOf } from './timer.schedule.js';
import { TimerWork } from './timer.work.js';

/** The daemons and timers that the handling of an object has to wait for. */
export interface BackgroundStep {
  /** For each daemon that is exiting, the seconds until its termination has to be checked again. */
  readonly delays: readonly number[];
  /** Resolves when each of them has exited or was abandoned. */
  readonly settled?: Promise<unknown>;
}

/** The step of an object without exiting daemons and timers. */
export const NOTHING_TO_WAIT_FOR: BackgroundStep = { delays: [] };

/** The engine that starts and stops the daemons and timers of all objects. */
export class BackgroundEngine {
  private readonly runs = new Set<BackgroundRun>();
  private isExiting = false;
  private isPaused = false;

  constructor(private readonly tools: BackgroundTools) {}

  /** The number of daemons and timers, including those that are exiting. */
  get size(): number {
    return this.runs.size;
  }

  /** The daemons and timers, including those that are exiting. */
  get all(): Iterable<Pick<ObjectRun, 'handler' | 'isStopping' | 'object' | 'due'>> {
    return this.runs;
  }

  /**
   * Starts the handlers that match the object and do not run yet, and stops those that do not match any more.
   *
   * The patches of the started ones are held back until {@link ObjectBackground.releasePatches}.
   */
  async match(
    registered: readonly BackgroundHandler[],
    cause: SpawningCause,
    background: ObjectBackground,
  ): Promise<BackgroundStep> {
    const handlers = selectSpawningHandlers(registered, cause, background.foreverStopped);
    const decision = ++background.decisions;
    // The idle time of an object's first daemon or timer begins now.
    if (background.runs.size === 0) background.idleResetAt = this.tools.heap.monotonic();
    for (const handler of this.isExiting || this.isPaused ? [] : handlers) {
      const run = background.runs.get(handler.id);
      if (!run) this.spawn(handler, cause, background);
      // The next event of the object may be long in coming, so the restart does not wait for it.
      else if (run.isRestartable) {
        background.restarts += 1;
        void run.settled().then(() => this.matchAgain(decision, registered, cause, background));
      } else run.onEvent();
    }
    if (background.runs.size === 0) return NOTHING_TO_WAIT_FOR;
    const ids = new Set(handlers.map(({ id }) => id));
    const mismatching = [...background.runs.values()].filter((run) => !ids.has(run.handler.id));
    return this.stop(mismatching, StopReason.FILTERS_MISMATCH);
  }

  /** Stops all daemons and timers of an object, by default because the object is being deleted or is gone. */
  release(background: ObjectBackground, reason = StopReason.RESOURCE_DELETED): Promise<BackgroundStep> {
    background.decisions += 1;
    return this.stop([...background.runs.values()], reason);
  }

  /** Stops the daemons and timers of removed handlers, for all objects. */
  async dismiss(removed: readonly Handler[]): Promise<void> {
    const isRemoved = ({ handler }: BackgroundRun): boolean => removed.some((each) => isSameAs(each)(handler));
    await this.stop([...this.runs].filter(isRemoved), StopReason.FILTERS_MISMATCH);
  }

  /** Asks all daemons and timers to stop, and starts none until {@link resume}. */
  async pause(): Promise<void> {
    this.isPaused = true;
    await this.stop([...this.runs], StopReason.OPERATOR_PAUSING);
  }

  /** Allows daemons and timers to be started again, with the next events of their objects. */
  resume(): void {
    this.isPaused = false;
  }

  /** Stops all daemons and timers for good. Resolves when each of them has exited or was abandoned, which is after a limited time. */
  async exit(): Promise<void> {
    this.isExiting = true;
    const { settled } = await this.stop([...this.runs], StopReason.OPERATOR_EXITING);
    await settled;
  }

  private async matchAgain(
    decision: number,
    registered: readonly BackgroundHandler[],
    cause: SpawningCause,
    background: ObjectBackground,
  ): Promise<void> {
    background.restarts -= 1;
    if (background.decisions !== decision) return;
    try {
      await this.match(registered, cause, background);
    } catch (error) {
      cause.logger.error('Daemons could not be started again.', error);
    } finally {
      background.releasePatches();
    }
  }

  private spawn(handler: BackgroundHandler, cause: SpawningCause, background: ObjectBackground): void {
    background.replaceBody(cause.body);
    const onExit = (run: BackgroundRun): void => void this.runs.delete(run);
    const run = new BackgroundRun(handler, background, this.tools, cause.logger, createWork, onExit);
    background.holdPatches();
    this.runs.add(run);
    background.add(run);
    run.start();
  }

  private async stop(runs: readonly ObjectRun[], reason: StopReason): Promise<BackgroundStep> {
    const fresh = runs.filter((run) => !run.isStopping);
    for (const run of runs) run.stop(reason);
    await this.waitForInstantExit(fresh);
    const uncancelled = runs.filter((run) => !run.isCancelled);
    for (const run of runs) run.terminate();
    await this.waitForInstantExit(uncancelled.filter((run) => run.isCancelled));
    const delays = runs.flatMap((run) => run.left ?? []);
    if (delays.length === 0) return NOTHING_TO_WAIT_FOR;
    return { delays, settled: Promise.all(runs.map((run) => run.settled())) };
  }

  /** Waits a moment for daemons to exit: most of them do so at once, and then cost the object no further event cycle. */
  private async waitForInstantExit(asked: readonly ObjectRun[]): Promise<void> {
    const runs = asked.filter((run) => !run.isSettled);
    if (runs.length === 0) return;
    const { instantExitTimeout, instantExitZeroTimeCycles } = this.tools.settings.background;
    const exited = new AbortController();
    void Promise.all(runs.map((run) => run.settled())).then(() => exited.abort());
    if (instantExitTimeout !== null) {
      await sleep(this.tools.heap, instantExitTimeout, exited.signal);
      return;
    }
    for (let cycle = 0; cycle < (instantExitZeroTimeCycles ?? 0) && !exited.signal.aborted; cycle++) {
      await sleep(this.tools.heap, 0, exited.signal);
    }
  }
}

/** Creates the work of a run for the kind of its handler. */
function createWork(run: WorkControl, calls: HandlerCalls): BackgroundWork {
  const { handler } = calls;
  if (handler.kind === 'daemon') return new DaemonWork(run, calls);
  if (handler.kind === 'log') return new LogWork(run, calls as HandlerCalls<LogHandler>);
  if (handler.relation) return new RelatedWork(run, calls as HandlerCalls<RelatedHandler>);
  return new TimerWork(run, calls, scheduleOf(handler));
}
