import type { PrinterColumn } from '../resources/served.resource.js';
import type { KubeObject } from '../resources/kube-object.js';
import type { StructuralSchema } from './schema/structural.schema.js';

/** Names where the webhook of a definition is: at a URL, or behind a service. */
export interface ConversionClientConfig {
  readonly url?: string;
  readonly service?: {
    readonly namespace: string;
    readonly name: string;
    readonly path?: string;
    readonly port?: number;
  };
  /** The certificates that the webhook is trusted by, in PEM encoded as base64. */
  readonly caBundle?: string;
}

/** The storage key of definitions. */
export const DEFINITIONS = 'customresourcedefinitions.apiextensions.k8s.io';

/** The finalizer that a definition has until its objects are gone. */
export const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';

/** The names that a definition claims. */
export interface DefinitionNames {
  readonly plural: string;
  readonly singular?: string;
  readonly kind: string;
  readonly listKind?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

/** One version of a definition. */
export interface DefinitionVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated?: boolean;
  readonly deprecationWarning?: string;
  readonly schema?: { readonly openAPIV3Schema?: StructuralSchema };
  readonly subresources?: {
    readonly status?: object;
    readonly scale?: {
      readonly specReplicasPath: string;
      readonly statusReplicasPath: string;
      readonly labelSelectorPath?: string;
    };
  };
  readonly additionalPrinterColumns?: readonly PrinterColumn[];
  readonly selectableFields?: readonly { readonly jsonPath: string }[];
}

/** A condition of a definition. */
export interface DefinitionCondition {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly lastTransitionTime: string;
  readonly reason: string;
  readonly message: string;
}

/** A custom resource definition that has passed validation. */
export interface Definition extends KubeObject {
  readonly spec: {
    readonly group: string;
    readonly scope: 'Namespaced' | 'Cluster';
    readonly names: DefinitionNames;
    readonly versions: readonly DefinitionVersion[];
    readonly conversion?: {
      readonly strategy: string;
      readonly webhook?: {
        readonly clientConfig?: ConversionClientConfig;
        readonly conversionReviewVersions?: readonly string[];
      };
    };
    readonly preserveUnknownFields?: boolean;
  };
  readonly status?: {
    readonly conditions?: readonly DefinitionCondition[] | null;
    readonly acceptedNames?: DefinitionNames;
    readonly storedVersions?: readonly string[];
  };
}
