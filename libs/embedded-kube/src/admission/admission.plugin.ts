import type { KubeObject } from '../interfaces/kube-object.js';
import type { Draft } from '../machinery/draft.js';
import type { ServedResource } from '../machinery/served.resource.js';
import type { ApiUser } from '../machinery/api.user.js';
import type { Reinvocation } from './reinvocation.js';

/** A kind with its group and version. */
export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** A write that asks to be admitted. */
export interface AdmissionAttributes {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
  readonly served: ServedResource;
  readonly namespace: string;
  /** Empty where it is to be generated, and for the objects of a collection that is deleted. */
  readonly name: string;
  readonly subresource?: string;
  /** The kind of `object` and `previous`, where it is not the resource's: `Scale`, `Eviction`. */
  readonly kind?: GroupVersionKind;
  /** The object as it will be stored; absent for deletions. Mutating plugins change it or its metadata in place. */
  readonly object?: Draft;
  readonly previous?: KubeObject;
  readonly dryRun: boolean;
  /** Who writes. */
  readonly user: ApiUser;
  /** The options of the request: `CreateOptions`, `UpdateOptions` or `DeleteOptions`. */
  readonly options: object;
  readonly warn: (message: string) => void;
  /** The time of the monotonic clock until which the request has to be answered, in milliseconds. */
  readonly deadline: number;
}

/** Changes or refuses writes after they are decoded and before they are validated. Refuses by throwing a `StatusError`. */
export interface AdmissionPlugin {
  readonly name: string;
  /** Called first, plugin after plugin; may change the object, and ask for a second round. */
  admit?(attributes: AdmissionAttributes, reinvocation: Reinvocation): void | Promise<void>;
  /** Called once the object is final and valid. */
  validate?(attributes: AdmissionAttributes): void | Promise<void>;
}
