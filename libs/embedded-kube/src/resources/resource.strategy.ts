import type { FieldError } from '../errors/field.error.js';
import type { KubeObject, Draft } from './kube-object.js';
import type { NameRule } from './name.rules.js';

/**
 * The origin of an object: the body of a request, a patch, or a configuration that was applied. The server words its error responses
 * accordingly.
 */
export type ObjectOrigin = 'body' | 'patch' | 'apply';

/** The differences of a resource from others in the life of its objects. */
export interface ResourceStrategy {
  readonly nameRule: NameRule;
  /** Whether an object can be replaced without naming the version that it replaces. */
  readonly unconditionalUpdate: boolean;
  /** Whether a deletion is answered with the object instead of a status. */
  readonly returnsDeleted: boolean;
  /**
   * Whether dependents of a deleted object are kept unless the request says otherwise, as those of kinds that are older than garbage
   * collection.
   */
  readonly orphansDependents?: boolean | undefined;
  /** Whether an object is deleted at once even if the request is to delete dependents: the garbage collector does not look for them. */
  readonly ownsNothing?: boolean | undefined;
  /** The warning for clients that delete objects without a policy for dependents. */
  readonly deletionWarning?: string | undefined;
  /** Whether the status is changed only through its subresource. */
  readonly statusSubresource: boolean;
  /** Brings an object from a request into the stored form: prunes, sets defaults. Adds the paths of unknown fields to `unknown`. */
  decode(draft: Draft, unknown: string[], origin?: ObjectOrigin): Draft;
  /**
   * Words the error of a body that cannot be decoded, where that is more than the first error that decoding meets.
   *
   * @param kind the kind in the body. @default the resource's
   */
  describeMismatch?(
    body: unknown,
    kind?: { readonly group: string; readonly version: string; readonly kind: string },
  ): string | undefined;
  /** The same for an object that a strategic merge patch has made, as the server converts such an object in another way. */
  describeConversion?(object: unknown): string | undefined;
  /**
   * Brings an object that is to be written into the form in which the server writes it.
   *
   * @param isSent keeps empty lists and maps, which are not stored, but owned by the client that has sent them
   */
  encode(draft: Draft, isSent?: boolean): Draft;
  /** Sets the fields of a new object that only the server sets. */
  prepareForCreate(draft: Draft): void;
  /** Keeps the fields that a change may not change, and counts the generation. */
  prepareForUpdate(draft: Draft, previous: KubeObject, subresource: string | undefined): void;
  /** @param warn called with violations that the object had before */
  validate(
    object: Draft,
    previous: KubeObject | undefined,
    warn?: (warning: string) => void,
    subresource?: string,
  ): FieldError[];
  /** Returns the seconds that an object is given to end, where that is not 0. @param requested the seconds in the request */
  gracePeriod?(object: KubeObject, requested: number | undefined): number;
  /** Marks an object whose deletion begins, where that is more or other than its timestamp, grace period and generation. */
  markDeleted?(draft: Draft, deletionTimestamp: string): void;
  /** Checks whether something besides finalizers keeps a deleted object. */
  holdsDeletion?(object: KubeObject): boolean;
}
