import type { StandardJsonSchema } from './schema/standard.schema.js';

/** A column of `kubectl get`, beside the name of the object. */
export interface PrinterColumn {
  readonly name: string;
  /** @default 'string' */
  readonly type?: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  /** The path of the value: `.spec.size`. */
  readonly jsonPath: string;
  readonly description?: string;
  /** The format, such as `int32`, `byte`, `date-time`, `password`. */
  readonly format?: string;
  /** The priority; columns above 0 are shown with `-o wide` only. @default 0 */
  readonly priority?: number;
}

/** The subresource by which `kubectl scale` and autoscalers set the number of replicas. */
export interface ScaleSubresource {
  /** The path of the wanted number: `.spec.replicas`. */
  readonly specReplicasPath: string;
  /** The path of the actual number: `.status.replicas`. */
  readonly statusReplicasPath: string;
  /** The path of a selector as a text, which autoscalers need: `.status.selector`. */
  readonly labelSelectorPath?: string;
}

/** A class whose properties have decorators, or a schema of Zod, Valibot, ArkType, or another library that gives it as JSON Schema. */
export type SchemaSource = (abstract new (...args: any[]) => object) | StandardJsonSchema;

/** The options of `@CustomResource()`. */
export interface CustomResourceOptions {
  /** The API group: `example.com`. */
  readonly group: string;
  /** @default 'v1' */
  readonly version?: string;
  /** @default the name of the class */
  readonly kind?: string;
  /** @default the kind in lower case with the plural's ending: `policies`, `boxes`, `disks` */
  readonly plural?: string;
  /** @default the kind in lower case */
  readonly singular?: string;
  /** @default the kind, followed by `List` */
  readonly listKind?: string;
  /** @default 'Namespaced' */
  readonly scope?: 'Namespaced' | 'Cluster';
  readonly shortNames?: readonly string[];
  /** The groups of resources to which the resource belongs in `kubectl get`: `['all']`. */
  readonly categories?: readonly string[];
  readonly printerColumns?: readonly PrinterColumn[];
  /** The subresources. With `status: true`, the status is written by separate requests, which cannot change the rest. @default none */
  readonly subresources?: { readonly status?: boolean; readonly scale?: ScaleSubresource };
  /** The fields by which `kubectl get --field-selector` and watches can select: `['.spec.size']`. */
  readonly selectableFields?: readonly string[];
  /** @default the class of the property `spec` */
  readonly spec?: SchemaSource;
  /** @default the class of the property `status` */
  readonly status?: SchemaSource;
  /**
   * Whether the API server keeps fields of the status that its class does not have, also without any class: results of handlers are stored
   * in `status.{id}`. @default true
   */
  readonly preserveUnknownStatus?: boolean;
  /** @default true */
  readonly served?: boolean;
  /**
   * Whether objects are stored in this version, if there are several. @default the most stable and newest version is: `v2` before `v1`
   * before `v1beta1`
   */
  readonly storage?: boolean;
  /** Whether users of the version are warned; a text is the warning. @default false */
  readonly deprecated?: boolean | string;
  /** Annotations of the CRD, such as `api-approved.kubernetes.io`. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** Labels of the CRD. */
  readonly labels?: Readonly<Record<string, string>>;
}
