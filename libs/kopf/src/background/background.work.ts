import type { StopReason } from '../contexts/stop-flag.js';
import type { DaemonStopper } from './daemon.stopper.js';

/** The work of a daemon, a timer, or another background handler for one object, from its start to its exit. */
export interface BackgroundWork {
  /** Begins the work, with the initial delay or at once. */
  start(): void;
  /** Called at the scheduled time. */
  onTime(): void;
  /** Called each time the run is asked to stop: exits now, unless a call of the handler is in progress. */
  onStop(reason: StopReason): void;
  /** Called with each event of the object while the handler matches it. */
  onEvent?(): void;
  /** Called after an essential change of the object. */
  onIdlingReset?(): void;
  /** Called once when the run has exited. */
  onExit?(): void;
  /** Whether the work continues after the deletion of its object, which does not wait for it. */
  readonly isDraining?: boolean;
}

/** A run as its work sees it: the place in the heap of timers, the flag that stops it, and its exit. */
export interface WorkControl {
  readonly stopper: DaemonStopper;
  /** The scheduled time, in milliseconds of the monotonic clock. */
  due: number;
  /** Whether a time is scheduled. */
  readonly isScheduled: boolean;
  /** Whether nothing waits for the run: it has exited or was abandoned. */
  readonly isSettled: boolean;
  /** Schedules the next call of `onTime()`, in milliseconds of the monotonic clock, and replaces any other schedule. */
  schedule(due: number): void;
  /** Ends the run. A run that exits without having been asked to stop is not started again. */
  exit(): void;
  /** Ends this run after an unexpected error; other runs are not affected. */
  fail(error: unknown): void;
}
