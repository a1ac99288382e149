import type { InvocationContext } from './contexts.interface.js';
import type { KopfLogger } from '../common/logger.interface.js';
import type { Handler } from '../registry/handler.js';
import type { HandlerProgress } from '../execution/handler.progress.js';

/** One attempt of one handler. */
export class Invocation implements InvocationContext {
  readonly param: unknown;
  readonly retry: number;
  readonly runtime: number;
  private readonly startedAt: number;
  private children?: Set<string>;

  constructor(
    readonly handler: Handler,
    progress: HandlerProgress,
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
