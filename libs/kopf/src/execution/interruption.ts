/** The early end of one attempt of a handler. */
export interface Interruption {
  /** Aborted when the attempt is to end; also by whatever ends all attempts. */
  readonly signal: AbortSignal;
  /** Returns the error that counts instead of the one that the handler has thrown. */
  explain(error: unknown): unknown;
  /** Called when the attempt has ended. */
  end(): void;
}
