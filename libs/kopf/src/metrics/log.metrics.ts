import { Injectable } from '@nestjs/common';
import { LogStatistics } from '../logs/log.statistics.js';
import type { MetricContext, MetricGroup } from './metric.group.js';
import { InjectOwn } from '../kopf.tokens.js';

type Counter = Exclude<keyof LogStatistics, 'open' | 'waiting'>;

const COUNTERS: Readonly<Record<Counter, readonly [name: string, help: string]>> = {
  lines: ['kopf_log_lines_total', 'Lines of containers that were read.'],
  messages: ['kopf_log_messages_total', 'Messages of containers for which handlers were called.'],
  reopened: ['kopf_log_reopened_total', 'Streams of logs that were opened again.'],
  gaps: ['kopf_log_gaps_total', 'Streams that did not continue where the last one had ended: the log was rotated.'],
  lostRuns: ['kopf_log_lost_runs_total', 'Runs of containers whose last lines could not be read any more.'],
  truncated: ['kopf_log_truncated_lines_total', 'Lines that were longer than logs.maxLineLength.'],
  blockedSeconds: [
    'kopf_log_blocked_seconds_total',
    'Seconds for which streams were not read because of their handlers.',
  ],
};

/** The metrics of the streams of container logs. */
@Injectable()
export class LogMetrics implements MetricGroup {
  constructor(@InjectOwn(LogStatistics) private readonly statistics: LogStatistics) {}

  start({ families }: MetricContext): void {
    families.gauge(
      'kopf_log_streams',
      'Streams of logs: those that are open, and those that wait.',
      ['state'],
      (set) => {
        set({ state: 'open' }, this.statistics.open);
        set({ state: 'waiting' }, this.statistics.waiting);
      },
    );
    for (const [key, [name, help]] of Object.entries(COUNTERS)) {
      families.total(name, help, () => this.statistics[key as Counter]);
    }
  }
}
