// background: what runs beside the event cycles of an object: its daemons and timers, from their start to their exit, with
// termination step by step, idle times, schedules, and their own patches. handling/ tells in each cycle which of them are for the object.
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

/** Tells what an object has to wait for. */
export interface BackgroundStep {
  /** Seconds until each of the daemons that are exiting is to be looked at again. */
  readonly delays: readonly number[];
  /** Resolves when all of them have exited, or are not waited for any longer. */
  readonly settled?: Promise<unknown>;
}

/** The step of an object that has nothing to wait for. */
export const NOTHING_TO_WAIT_FOR: BackgroundStep = { delays: [] };

/** Starts and stops the daemons and timers of all objects. */
export class BackgroundEngine {
  private readonly runs = new Set<BackgroundRun>();
  private isExiting = false;
  private isPaused = false;

  constructor(private readonly tools: BackgroundTools) {}

  /** Counts the daemons and timers, including those that are exiting. */
  get size(): number {
    return this.runs.size;
  }

  /** The daemons and timers, including those that are exiting. */
  get all(): Iterable<Pick<ObjectRun, 'handler' | 'isStopping' | 'object' | 'due'>> {
    return this.runs;
  }

  /**
   * Starts what is for the object and does not run yet; stops what is not for it any more.
   * The patches of what was started wait until the background of the object lets them go.
   */
  async match(
    registered: readonly BackgroundHandler[],
    cause: SpawningCause,
    background: ObjectBackground,
  ): Promise<BackgroundStep> {
    const handlers = selectSpawningHandlers(registered, cause, background.foreverStopped);
    const decision = ++background.decisions;
    // A first daemon or timer of the object begins with what the object is now.
    if (background.runs.size === 0) background.idleResetAt = this.tools.heap.monotonic();
    for (const handler of this.isExiting || this.isPaused ? [] : handlers) {
      const run = background.runs.get(handler.id);
      if (!run) this.spawn(handler, cause, background);
      // No other event may come for long.
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

  /** Stops everything of an object, by default because it is being deleted or has gone. */
  release(background: ObjectBackground, reason = StopReason.RESOURCE_DELETED): Promise<BackgroundStep> {
    background.decisions += 1;
    return this.stop([...background.runs.values()], reason);
  }

  /** Stops what runs for handlers that were removed, whatever its objects are. */
  async dismiss(removed: readonly Handler[]): Promise<void> {
    const isRemoved = ({ handler }: BackgroundRun): boolean => removed.some((each) => isSameAs(each)(handler));
    await this.stop([...this.runs].filter(isRemoved), StopReason.FILTERS_MISMATCH);
  }

  /** Asks everything to stop, and starts nothing until {@link resume}. */
  async pause(): Promise<void> {
    this.isPaused = true;
    await this.stop([...this.runs], StopReason.OPERATOR_PAUSING);
  }

  /** Lets daemons and timers be started again, with the next events of their objects. */
  resume(): void {
    this.isPaused = false;
  }

  /** Stops everything for good. Resolves when everything has exited or was abandoned, which is after a limited time. */
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

  /** Most daemons exit at once when they are asked to; they cost the object no further cycle then. */
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

/** Creates the work of a run, as its handler is a daemon's, a timer's, or another one's. */
function createWork(run: WorkControl, calls: HandlerCalls): BackgroundWork {
  const { handler } = calls;
  if (handler.kind === 'daemon') return new DaemonWork(run, calls);
  if (handler.kind === 'log') return new LogWork(run, calls as HandlerCalls<LogHandler>);
  if (handler.relation) return new RelatedWork(run, calls as HandlerCalls<RelatedHandler>);
  return new TimerWork(run, calls, scheduleOf(handler));
}
