/** Reports how one attempt of a handler ended. */
export interface Outcome {
  /** Is true if there will be no other attempt. */
  readonly final: boolean;
  /** Seconds until the next attempt, if there will be one. */
  readonly delay?: number;
  readonly result?: unknown;
  readonly error?: Error;
  /** Holds an error of which the handler's mode says that it does not count: the attempt has succeeded without a result. */
  readonly ignored?: Error;
  /** Is true if the error is the decision of a review, not a failure: what a user wants is rejected. */
  readonly rejected?: boolean;
  /** Ids of the sub-handlers, of all levels. */
  readonly subrefs: ReadonlySet<string>;
}

/** Outcomes by the handlers' ids. */
export type Outcomes = ReadonlyMap<string, Outcome>;
