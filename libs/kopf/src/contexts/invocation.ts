import type { InvocationContext, SubhandlerFunction, SubhandlerSet } from './contexts.interface.js';
import type { KopfLogger } from '../common/kopf.logger.js';
import type { SubhandlerOptions } from './change-options.js';

/** The progress of a handler before its invocation. */
export interface AttemptedProgress {
  /** The number of attempts before this one. */
  readonly retries: number;
  /** The time of the first attempt, in milliseconds since the epoch. */
  readonly started: number;
  /** Returns the seconds since the first attempt. */
  runtime(now: number): number;
}

const NO_SUBREFS: ReadonlySet<string> = new Set();

/** One attempt of one handler. */
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

  /** The ids of the sub-handlers that were executed in this attempt, of all levels. */
  get subrefs(): ReadonlySet<string> {
    return this.children ?? NO_SUBREFS;
  }

  /** Opens the set of {@link subrefs}, to which the steps of sub-handlers add their ids. */
  openSubrefs(): Set<string> {
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
  /** Sets the instance as whose methods sub-handlers are called, if the class of the handler has an instance for each invocation. */
  bindTo(instance: object): void;
}
