import { Injectable } from '@nestjs/common';

/** Counts what following logs has come to, for metrics. */
@Injectable()
export class LogStatistics {
  /** Streams that are open. */
  open = 0;
  /** Containers that wait for another stream to end, because of `logs.maxStreams`. */
  waiting = 0;
  /** Lines that came for the first time. */
  lines = 0;
  /** Messages that matched, and were given to handlers. */
  messages = 0;
  /** Streams that were opened anew after they had broken off, ended, or fallen silent. */
  reopened = 0;
  /** Times when nothing of what was known came again: the log was rotated, and lines can be missing. */
  gaps = 0;
  /** Runs of containers whose last lines could not be read any more. */
  lostRuns = 0;
  /** Lines that were longer than `logs.maxLineLength`. */
  truncated = 0;
  /** Seconds for which streams were not read because their handlers were busy. */
  blockedSeconds = 0;
}
