// logs: the logs of containers, followed line by line through cuts, rotations, and restarts, each line once. A pod has a follower, with
// one for each of its containers; each keeps one stream open, and remembers the last lines, so that it can read on. Handlers
// belong to those who ask for the lines.
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

/** Says which lines of which containers are wanted. */
export interface LogQuery {
  /** Only messages that match. @default all */
  readonly pattern?: LogPattern;
  /** Only containers whose names match. @default all */
  readonly container?: LogPattern | ReadonlySet<string>;
  /** Lines that belong together. @default each line is a message */
  readonly multiline?: JoiningRule;
  /** Where a log begins that was there before the operator: at its start, with what comes from now on, or so many seconds ago. */
  readonly since: 'start' | 'now' | number;
}

/** The pod whose logs are followed. */
export interface LoggedPod {
  readonly resource: Resource;
  readonly name: string;
  readonly namespace: string | undefined;
  readonly uid: string;
  /** Is true if it is known to have been created since the operator has begun to watch pods. */
  readonly isNew: boolean;
}

/** Lists what all followers of a session work with. */
export interface LogTools {
  readonly api: KubeApi;
  /** Waits for all streams with one timer. */
  readonly heap: TimerHeap;
  readonly settings: LogsSettings;
  readonly statistics: LogStatistics;
  readonly slots: StreamSlots;
  /** When the session has begun, in milliseconds since the epoch. */
  readonly startedAt: number;
}

/** Takes the messages of a pod. */
export interface LogSink {
  readonly logger: KopfLogger;
  /** Aborted when no more messages are wanted. */
  readonly signal: AbortSignal;
  /**
   * Handles one message. The container's log is not read on before. Never rejects.
   *
   * @returns whether it was handled; if not, as the signal was aborted, it comes again when the log is followed again.
   */
  handle(message: ContainerMessage): Promise<boolean>;
}

const MATCHED: LogMatch = { match: [], groups: Object.freeze({}) };

/** Checks whether a container is wanted. */
export function wantsContainer({ container }: LogQuery, name: string): boolean {
  if (container === undefined) return true;
  return 'has' in container ? container.has(name) : container.test(name);
}

/** Finds what the pattern matches; `undefined` if the message is not wanted. */
export function matchMessage({ pattern }: LogQuery, text: string): LogMatch | undefined {
  return pattern ? pattern.find(text) : MATCHED;
}
