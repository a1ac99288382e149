import type { InvocationContext, SubhandlerFunction, SubhandlerSet } from './contexts.interface.js';
import type { KopfLogger } from '../common/kopf.logger.js';
import type { SubhandlerOptions } from './change-options.js';

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

/** Takes the sub-handlers of one invocation of their parent. */
export interface SubhandlerExecution {
  /** Adds a sub-handler to be executed later. */
  add(id: string, handler: SubhandlerFunction, options?: SubhandlerOptions): void;
  /** Executes the given sub-handlers, or those that were added so far. */
  execute(handlers?: SubhandlerSet): Promise<void>;
  /** Calls sub-handlers as methods of this instance, where the class of the handler has another one for each invocation. */
  bindTo(instance: object): void;
}
