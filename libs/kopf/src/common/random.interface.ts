/** The source of randomness: jitter, shuffling, generated identities. Injected, so that a run can be repeated from a seed. */
export interface Random {
  /** A number in `[0, 1)`. */
  next(): number;
}
