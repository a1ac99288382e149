import type { KubeApi } from '../client/api/api.client.js';
import type { TimerHeap } from 'kube-common';
import type { LogsSettings } from '../settings/logs.settings.js';
import type { LogTools } from './log.query.js';
import type { LogStatistics } from './log.statistics.js';
import type { PodProgress } from './pod.tailer.js';
import { StreamSlots } from './stream.slots.js';

/** What the tailers of a session share, and the places in the logs while the operator pauses. */
export class LogSession implements LogTools {
  readonly slots: StreamSlots;
  readonly startedAt: number;
  private readonly remembered = new Map<string, PodProgress>();

  constructor(
    readonly api: KubeApi,
    readonly heap: TimerHeap,
    readonly settings: LogsSettings,
    readonly statistics: LogStatistics,
  ) {
    this.slots = new StreamSlots(() => settings.maxStreams, statistics);
    this.startedAt = heap.now();
  }

  /** Returns the places in the logs of a pod for one handler. */
  progressOf(key: string): PodProgress {
    let progress = this.remembered.get(key);
    if (!progress) this.remembered.set(key, (progress = new Map()));
    return progress;
  }

  forget(key: string): void {
    this.remembered.delete(key);
  }
}
