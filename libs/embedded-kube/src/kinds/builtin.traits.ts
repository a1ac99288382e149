import type { FieldError } from '../errors/field.error.js';
import type { KubeObject, Draft } from '../resources/kube-object.js';
import type { NameRule } from '../resources/name.rules.js';

/** What distinguishes a built-in resource from the common one. */
export interface BuiltinTraits {
  /** @default subdomain */
  readonly nameRule?: NameRule;
  /** Whether `metadata.generation` counts the changes. */
  readonly generation?: boolean;
  /** Whether an object can be replaced without naming the version that it replaces. @default true */
  readonly unconditionalUpdate?: boolean;
  readonly returnsDeleted?: boolean;
  /** Whether a new object keeps the status that it comes with. */
  readonly keepsStatus?: boolean;
  /** The status of a new object. @default an empty one */
  readonly initialStatus?: object | ((draft: Draft) => object);
  /** Sets defaults; called for each decoded object. */
  readonly defaults?: (draft: Draft) => void;
  readonly validate?: (object: Draft, previous: KubeObject | undefined) => FieldError[];
  readonly gracePeriod?: (object: KubeObject, requested: number | undefined) => number;
  readonly markDeleted?: (draft: Draft, deletionTimestamp: string) => void;
  readonly holdsDeletion?: (object: KubeObject) => boolean;
}
