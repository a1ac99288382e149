import type { DaemonContext } from './contexts.interface.js';

/** A child, or a referenced object, as far as it is known from its metadata. */
export interface RelatedObject {
  /** The version that the operator watches: `apps/v1`. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  /** The namespace; `undefined` for a cluster-scoped object. */
  readonly namespace: string | undefined;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Whether the object is being deleted. */
  readonly isDeleting: boolean;
}

/** A reference to an object that does not exist. */
export interface MissingReference {
  /** The field of the reference, as in the decorator: `spec.secretRef.name`. */
  readonly field: string;
  /** The resource, as in the decorator: `secrets`. */
  readonly resource: string;
  readonly name: string;
  readonly namespace: string | undefined;
}

/** The context of `@OnChild` handlers: that of the parent, with its children. The body and its parts are live views, as in daemons. */
export interface ChildContext<Spec = any, Status = any, Memo = any> extends DaemonContext<Spec, Status, Memo> {
  /** The current children. Read them by `KubeClient` if more than their metadata is needed. */
  readonly children: readonly RelatedObject[];
}

/** The context of `@OnReference` handlers: that of the object with the references, with the referenced objects. */
export interface ReferenceContext<Spec = any, Status = any, Memo = any> extends DaemonContext<Spec, Status, Memo> {
  /** The referenced objects that exist. Read them by `KubeClient` if more than their metadata is needed. */
  readonly referents: readonly RelatedObject[];
  /** The references to objects that do not exist. */
  readonly missing: readonly MissingReference[];
}

/** The objects that belong to an object, at the time of the look-up. */
export interface RelatedView {
  readonly related: readonly RelatedObject[];
  readonly missing: readonly MissingReference[];
}
