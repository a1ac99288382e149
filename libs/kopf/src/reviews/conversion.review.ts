import type { KubeObject } from '../objects/kube-object.js';

/** The request of the API server to convert objects of one custom resource to another version. */
export interface ConversionReview {
  /** @default apiextensions.k8s.io/v1 */
  readonly apiVersion?: string;
  /** @default ConversionReview */
  readonly kind?: string;
  readonly request: {
    readonly uid: string;
    /** The wanted group and version of the objects: `example.com/v1`. */
    readonly desiredAPIVersion: string;
    /** The objects, which can be of several versions. */
    readonly objects: readonly KubeObject[];
  };
}

/** The answer to a {@link ConversionReview}, of the same version and kind. */
export interface ConversionReviewAnswer {
  readonly apiVersion: string;
  readonly kind: string;
  readonly response: {
    readonly uid: string;
    /** Whether all objects were converted; if not, which one could not, and why. */
    readonly result: { readonly status: 'Success' } | { readonly status: 'Failure'; readonly message: string };
    /** The objects in the order of the request; empty if any of them could not be converted. */
    readonly convertedObjects: readonly KubeObject[];
  };
}
