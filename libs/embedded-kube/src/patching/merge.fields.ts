/** The rule by which a strategic merge patch merges one field of a built-in type. */
export interface MergeField {
  /** The type of the field's value, of its elements or of its members; absent where nothing below is merged in a special way. */
  readonly type?: string;
  /** The strategy: `merge` combines lists instead of replacing them, `replace` replaces maps instead of combining them. */
  readonly strategy?: 'merge' | 'replace';
  /** The member that identifies the elements of a merged list of objects; absent for lists of scalars. */
  readonly key?: string;
}

/** The fields of a type, by name. */
export type MergeFields = Readonly<Record<string, MergeField>>;
