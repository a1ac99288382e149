import type { DaemonContext } from './contexts.interface.js';

/** One line of a container's log, or several joined lines. */
export interface ContainerMessage {
  /** The text without its time stamp; lines that were joined are separated by `\n`. */
  readonly message: string;
  /** The time of the first line as the node has written it, to the nanosecond: `2026-11-22T10:00:00.123456789Z`. */
  readonly timestamp: string;
  /** The name of the container. */
  readonly container: string;
  /** The id of the run of the container: `containerd://…`. Each restart has another one. */
  readonly containerId: string;
  /** The number of restarts of the container before this run. */
  readonly restartCount: number;
  /** Whether a line was longer than `logs.maxLineLength`, and was cut there. */
  readonly isTruncated: boolean;
  /** The match of `regex` and its groups in their order, the whole match first; empty without a pattern. */
  readonly match: readonly (string | undefined)[];
  /** The named groups of `regex`. */
  readonly groups: Readonly<Record<string, string | undefined>>;
}

/**
 * The context of `@OnLog` handlers: that of the pod, with a message of one of its containers. The body and its parts are live views, as in
 * daemons.
 */
export interface LogContext<Spec = any, Status = any, Memo = any>
  extends DaemonContext<Spec, Status, Memo>, ContainerMessage {}
