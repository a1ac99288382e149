import type { KubeObject } from '../objects/kube-object.js';
import type { PrinterColumn, ScaleSubresource } from './custom-resource.options.js';
import type { SchemaNode } from './schema/schema.node.js';

/** A CustomResourceDefinition, in the form in which it is applied. */
export interface CustomResourceDefinition extends KubeObject {
  apiVersion: 'apiextensions.k8s.io/v1';
  kind: 'CustomResourceDefinition';
  metadata: KubeObject['metadata'] & { name: string };
  spec: {
    group: string;
    scope: 'Namespaced' | 'Cluster';
    names: {
      kind: string;
      listKind: string;
      plural: string;
      singular: string;
      shortNames?: string[];
      categories?: string[];
    };
    versions: CustomResourceVersion[];
    conversion?: { strategy: 'None' | 'Webhook'; webhook?: object };
  };
}

/** One version of a custom resource. */
export interface CustomResourceVersion {
  name: string;
  served: boolean;
  storage: boolean;
  deprecated?: boolean;
  deprecationWarning?: string;
  additionalPrinterColumns?: PrinterColumn[];
  selectableFields?: { jsonPath: string }[];
  subresources?: { status?: object; scale?: ScaleSubresource };
  schema: { openAPIV3Schema: SchemaNode };
}
