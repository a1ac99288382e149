import type { DaemonContext } from './contexts.interface.js';

/** An object that another one owns or refers to, as far as its metadata tell. */
export interface RelatedObject {
  /** `apps/v1`: of the version that the operator watches. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  /** `undefined` for an object that belongs to the cluster. */
  readonly namespace: string | undefined;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Is true once the object is being deleted. */
  readonly isDeleting: boolean;
}

/** A reference to an object that does not exist. */
export interface MissingReference {
  /** The field of the reference, as the decorator has it: `spec.secretRef.name`. */
  readonly field: string;
  /** The resource, as the decorator has it: `secrets`. */
  readonly resource: string;
  readonly name: string;
  readonly namespace: string | undefined;
}

/**
 * Serves as the context of `@OnChild` handlers: that of the parent, with its children.
 *
 * The body and its parts are live views, as in daemons.
 */
export interface ChildContext<Spec = any, Status = any, Memo = any> extends DaemonContext<Spec, Status, Memo> {
  /** The children that exist now. Read them by `KubeClient` if more than their metadata is needed. */
  readonly children: readonly RelatedObject[];
}

/** Serves as the context of `@OnReference` handlers: that of the object that refers to others, with these. */
export interface ReferenceContext<Spec = any, Status = any, Memo = any> extends DaemonContext<Spec, Status, Memo> {
  /** The objects that are referred to and exist. Read them by `KubeClient` if more than their metadata is needed. */
  readonly referents: readonly RelatedObject[];
  /** The references to objects that do not exist. */
  readonly missing: readonly MissingReference[];
}

/** Finds the objects that belong to one, at the time when it is asked. */
export interface RelatedView {
  readonly related: readonly RelatedObject[];
  readonly missing: readonly MissingReference[];
}
