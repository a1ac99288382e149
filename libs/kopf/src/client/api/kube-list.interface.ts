import type { KubeObject } from '../../objects/kube-object.js';

/** Holds one page of a list, as the API server sends it. */
export interface KubeList<T extends KubeObject = KubeObject> {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: {
    /** The version that the whole list, with all its pages, shows. */
    readonly resourceVersion?: string;
    /** The token of the next page; empty or absent on the last one. */
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
  readonly items: readonly T[];
}
