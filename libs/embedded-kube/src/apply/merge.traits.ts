/** Describes how the server's own schema merges one field of a built-in type. */
export interface FieldTraits {
  /** The members that identify the items of a list; none for a set. */
  readonly keys?: readonly string[];
  /** Holds the values of absent keys. */
  readonly defaults?: Readonly<Record<string, unknown>>;
  /** Replaces a mapping as a whole, where that differs from its type. */
  readonly atomic?: boolean;
}
