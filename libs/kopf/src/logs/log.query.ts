// logs: the logs of containers, read line by line through interruptions, rotations, and restarts, each line once. A pod has a tailer, with
// one for each of its containers; each keeps one stream open, and remembers the last lines, so that it can continue there. The handlers are
// called in background/.
// May import: common, objects, resources, settings, client, and contexts.

import type { KubeApi } from '../client/api/api.client.js';
import type { KopfLogger } from '../common/kopf.logger.js';
import type { TimerHeap } from 'kube-common';
import type { ContainerMessage } from '../contexts/log.interface.js';
import type { Resource } from '../resources/resources.js';
import type { LogsSettings } from '../settings/logs.settings.js';
import type { JoiningRule } from './line.joiner.js';
import type { LogMatch, LogPattern } from './log.pattern.js';
import type { LogStatistics } from './log.statistics.js';
import type { StreamSlots } from './stream.slots.js';

/** The lines and containers that a handler is for. */
export interface LogQuery {
  /** The pattern of the messages. @default all */
  readonly pattern?: LogPattern;
  /** The names of the containers. @default all */
  readonly container?: LogPattern | ReadonlySet<string>;
  /** The rule by which lines are joined to messages. @default each line is a message */
  readonly multiline?: JoiningRule;
  /** Where to begin in a log that was there before the operator: at its start, at its end, or so many seconds ago. */
  readonly since: 'start' | 'now' | number;
}

/** The pod whose logs are read. */
export interface LoggedPod {
  readonly resource: Resource;
  readonly name: string;
  readonly namespace: string | undefined;
  readonly uid: string;
  /** Whether the pod is known to have been created after the operator began to watch pods. */
  readonly isNew: boolean;
}

/** What all tailers of a session share. */
export interface LogTools {
  readonly api: KubeApi;
  /** One timer for the timeouts of all streams. */
  readonly heap: TimerHeap;
  readonly settings: LogsSettings;
  readonly statistics: LogStatistics;
  readonly slots: StreamSlots;
  /** When the session began, in milliseconds since the epoch. */
  readonly startedAt: number;
}

/** The receiver of the messages of a pod. */
export interface LogSink {
  readonly logger: KopfLogger;
  /** Aborted when no more messages are wanted. */
  readonly signal: AbortSignal;
  /**
   * Handles one message. The container's log is not read further before. Never rejects.
   *
   * @returns whether the message was handled; if not, because the signal was aborted, it is handled when the log is read again.
   */
  handle(message: ContainerMessage): Promise<boolean>;
}

const MATCHED: LogMatch = { match: [], groups: Object.freeze({}) };

/** Checks whether the query is for a container. */
export function wantsContainer({ container }: LogQuery, name: string): boolean {
  if (container === undefined) return true;
  return 'has' in container ? container.has(name) : container.test(name);
}

/** Matches a message with the pattern; `undefined` if it does not match. */
export function matchMessage({ pattern }: LogQuery, text: string): LogMatch | undefined {
  return pattern ? pattern.find(text) : MATCHED;
}
