/** The outcome of one attempt of a handler. */
export interface Outcome {
  /** Whether there is no further attempt. */
  readonly final: boolean;
  /** Seconds until the next attempt, if there is one. */
  readonly delay?: number;
  readonly result?: unknown;
  readonly error?: Error;
  /** The error that the handler's mode of errors ignores: the attempt has succeeded without a result. */
  readonly ignored?: Error;
  /** Whether the error is the decision of a review, not a failure: the request is rejected. */
  readonly rejected?: boolean;
  /** The ids of the sub-handlers of all levels. */
  readonly subrefs: ReadonlySet<string>;
}

/** Outcomes by the ids of the handlers. */
export type Outcomes = ReadonlyMap<string, Outcome>;
