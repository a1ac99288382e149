import type { KubeObject } from '../interfaces/kube-object.js';
import type { Draft } from '../machinery/draft.js';
import type { ServedResource } from '../machinery/served.resource.js';

/** A write that asks to be admitted. */
export interface AdmissionAttributes {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
  readonly served: ServedResource;
  readonly namespace: string;
  readonly name: string;
  readonly subresource?: string;
  /** The object as it will be stored; absent for deletions. Mutating plugins change it or its metadata in place. */
  readonly object?: Draft;
  readonly previous?: KubeObject;
  readonly dryRun: boolean;
  readonly warn: (message: string) => void;
}

/** Changes or refuses writes after they are decoded and before they are validated. Refuses by throwing a `StatusError`. */
export interface AdmissionPlugin {
  readonly name: string;
  /** Called first, plugin after plugin; may change the object. */
  admit?(attributes: AdmissionAttributes): void | Promise<void>;
  /** Called once the object is final and valid. */
  validate?(attributes: AdmissionAttributes): void | Promise<void>;
}
