import { Injectable } from '@nestjs/common';

/** The counters of reading logs, for metrics. */
@Injectable()
export class LogStatistics {
  /** The number of open streams. */
  open = 0;
  /** The number of containers that wait for a stream to end, because of `logs.maxStreams`. */
  waiting = 0;
  /** The number of lines that came for the first time. */
  lines = 0;
  /** The number of messages that matched, and were passed to handlers. */
  messages = 0;
  /** The number of streams that were opened again after they had broken off, ended, or fallen silent. */
  reopened = 0;
  /** The number of times when no known line came again: the log was rotated, and lines can be missing. */
  gaps = 0;
  /** The number of runs of containers whose last lines could not be read any more. */
  lostRuns = 0;
  /** The number of lines that were longer than `logs.maxLineLength`. */
  truncated = 0;
  /** Seconds for which streams were not read because their handlers were busy. */
  blockedSeconds = 0;
}
