import type { StopReason } from '../contexts/stop-flag.js';
import type { DaemonStopper } from './daemon.stopper.js';

/** What a daemon, a timer, or another handler in the background does for its object from its start to its exit. */
export interface BackgroundWork {
  /** Begins: with the initial delay, or at once. */
  start(): void;
  /** Called when the scheduled time has come. */
  onTime(): void;
  /** Called each time it is asked to stop: exits now if nothing of the user's is running. */
  onStop(reason: StopReason): void;
  /** Called with each event of the object that the handler is still for. */
  onEvent?(): void;
  /** Called when an essential change of the object was noticed. */
  onIdlingReset?(): void;
  /** Called once when the run has exited. */
  onExit?(): void;
  /** Whether it works on for an object that is deleted, which need not wait for it. */
  readonly isDraining?: boolean;
}

/** The run as its work sees it: the place in the heap of timers, the flag by which it is stopped, and the exit. */
export interface WorkControl {
  readonly stopper: DaemonStopper;
  /** The time that was set last, in milliseconds of the monotonic clock. */
  due: number;
  /** Whether a time is set. */
  readonly isScheduled: boolean;
  /** Whether nothing waits for the run: it has exited, or was abandoned. */
  readonly isSettled: boolean;
  /** Sets the time, in milliseconds of the monotonic clock, instead of any other. */
  schedule(due: number): void;
  /** Ends the run. One that exits without having been asked is not started again. */
  exit(): void;
  /** Ends the run, and nothing else, after an error that should not be. */
  fail(error: unknown): void;
}
