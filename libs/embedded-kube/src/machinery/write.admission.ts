import type { Eventual } from '../common/eventual.js';
import type { KubeObject, Draft } from '../resources/kube-object.js';
import type { ApiUser } from './api.user.js';
import type { ServedResource } from '../resources/served.resource.js';

/** A kind with its group and version. */
export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** A write, or a connection with a pod, a service or a node, that has to be admitted. */
export interface AdmissionAttributes {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  readonly served: ServedResource;
  readonly namespace: string;
  /** Empty where it is to be generated, and for the objects of a collection that is deleted. */
  readonly name: string;
  readonly subresource?: string;
  /** The kind of `object` and `previous`, where it is not the resource's: `Scale`, `Eviction`. */
  readonly kind?: GroupVersionKind;
  /** The object as it will be stored, or the options of a connection, which have no metadata; absent for deletions. Mutating plugins change it or its metadata in place. */
  readonly object?: Draft;
  readonly previous?: KubeObject;
  readonly dryRun: boolean;
  /** The user who writes. */
  readonly user: ApiUser;
  /** The options of the request: `CreateOptions`, `UpdateOptions` or `DeleteOptions`; `null` for connections, which are the object. */
  readonly options: object | null;
  readonly warn: (message: string) => void;
  /** The time of the monotonic clock until which the request has to be answered, in milliseconds. */
  readonly deadline: number;
}

/**
 * The admission of writes: called after an object is decoded and before it is stored, without a promise where nothing takes time. The
 * machinery knows no more of admission than this; `admission/` implements it.
 */
export interface WriteAdmission {
  /** Changes the object in place, or throws a `StatusError`. */
  admit(attributes: AdmissionAttributes): Eventual<void>;
  /** Throws a `StatusError` for an object that is valid but not allowed. */
  validate(attributes: AdmissionAttributes): Eventual<void>;
}
