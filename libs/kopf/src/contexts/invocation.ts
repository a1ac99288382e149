import type { InvocationContext } from './contexts.interface.js';
import type { KopfLogger } from '../common/kopf.logger.js';

/** Holds the progress of a handler for its invocation. */
export interface AttemptedProgress {
  /** Counts the attempts that were made before. */
  readonly retries: number;
  /** Tells when the first attempt was made, in milliseconds since the epoch. */
  readonly started: number;
  /** Seconds since then. */
  runtime(now: number): number;
}

/** Represents one attempt of one handler. */
export class Invocation implements InvocationContext {
  readonly param: unknown;
  readonly retry: number;
  readonly runtime: number;
  private readonly startedAt: number;
  private children?: Set<string>;

  constructor(
    handler: { readonly param?: unknown },
    progress: AttemptedProgress,
    now: number,
    private readonly deadline: { readonly signal: AbortSignal },
    readonly logger: KopfLogger,
  ) {
    this.param = handler.param;
    this.retry = progress.retries;
    this.startedAt = progress.started;
    this.runtime = progress.runtime(now);
  }

  get started(): Date {
    return new Date(this.startedAt);
  }

  /** Ids of the sub-handlers that were executed in it, of all levels. */
  get subrefs(): Set<string> {
    return (this.children ??= new Set());
  }

  get signal(): AbortSignal {
    return this.deadline.signal;
  }
}
