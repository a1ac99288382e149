/** What the server's own schema says about merging one field of a built-in type. */
export interface FieldTraits {
  /** The members that identify the items of a list; none for a set. */
  readonly keys?: readonly string[];
  /** What absent keys stand for. */
  readonly defaults?: Readonly<Record<string, unknown>>;
  /** Whether a mapping is replaced as a whole, where that differs from its type. */
  readonly atomic?: boolean;
}
