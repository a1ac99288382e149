/** Ends one attempt of a handler before its time. */
export interface Interruption {
  /** Aborted when the attempt is to end; also with whatever ends all attempts. */
  readonly signal: AbortSignal;
  /** Makes the error that counts of what the handler has thrown. */
  explain(error: unknown): unknown;
  /** The attempt has ended. */
  end(): void;
}
