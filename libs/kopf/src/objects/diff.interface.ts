/** Names the change of a field: it was added, it was removed, or its value has changed. */
export type DiffOperation = 'add' | 'change' | 'remove';

/**
 * One difference of two values: the operation, the path of the field, the value before, the value after.
 *
 * The path is relative to what was compared and empty if the whole of it differs.
 * An absent value is `null`, which means the same for Kubernetes.
 */
export type DiffItem = readonly [operation: DiffOperation, field: readonly string[], old: unknown, new: unknown];

/** All differences of two values in the order of the newer one's fields; empty if there are none. */
export type Diff = readonly DiffItem[];
