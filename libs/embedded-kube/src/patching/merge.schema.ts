import { MERGE_ROOTS, MERGE_TYPES } from './merge-keys.data.js';
import type { MergeField } from './merge.fields.js';

const NOTHING_SPECIAL: MergeField = {};

/** The merge rules of fields, found through the types of the built-in kinds. */
export class MergeSchema {
  /** Returns the schema of an object of a built-in kind. */
  static of(group: string, version: string, kind: string): MergeSchema {
    const root = `${group}/${version}/${kind}`;
    return new MergeSchema(Object.hasOwn(MERGE_ROOTS, root) ? MERGE_ROOTS[root] : undefined, true);
  }

  private constructor(
    readonly type: string | undefined,
    private readonly root = false,
  ) {}

  /** Returns the rule by which the field itself is merged. */
  field(name: string): MergeField {
    if (this.type !== undefined && Object.hasOwn(MERGE_TYPES[this.type], name)) return MERGE_TYPES[this.type][name];
    // Kinds without an entry have finalizers and owner references, too.
    return this.root && name === 'metadata' ? { type: 'meta.v1.ObjectMeta' } : NOTHING_SPECIAL;
  }

  /** Returns the schema of the field's value, or of its elements. */
  below(name: string): MergeSchema {
    return new MergeSchema(this.field(name).type);
  }
}
