/** The rules by which one field of a built-in type is merged. */
export interface FieldTraits {
  /** The members that identify the items of a list; none for a set. */
  readonly keys?: readonly string[];
  /** The values of absent keys. */
  readonly defaults?: Readonly<Record<string, unknown>>;
  /** Whether a mapping is replaced as a whole, where that differs from its type. */
  readonly atomic?: boolean;
}
