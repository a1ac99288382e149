import type { KopfLogger } from '../common/kopf.logger.js';
import type { KubeObject, ObjectMeta, PresentMeta } from '../objects/kube-object.js';
import type { ObjectClass, SpecOf, StatusOf } from '../resources/object-class.js';

/**
 * The context of `@Convert` handlers: one object in the version that it has. A conversion must depend on the object only, and change
 * nothing elsewhere: the API server calls it whenever a client reads, writes, or watches objects, and caches the answers.
 */
export interface ConversionContext<Spec = any, Status = any> {
  /** The object in the version that it has. */
  readonly body: Readonly<KubeObject<Spec, Status>>;
  /** The `spec`; empty if the object has none. */
  readonly spec: Readonly<Spec>;
  /** The `status`; `undefined` if the object has none, so that it can be returned as it is. */
  readonly status: Readonly<Status> | undefined;
  /** `body.metadata`; its labels and annotations are empty if the object has none. */
  readonly meta: Readonly<PresentMeta>;
  readonly name: string;
  readonly namespace: string | undefined;
  readonly uid: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** The version of the object: `v1alpha1`. */
  readonly from: string;
  /** The version to return: `v1`. */
  readonly to: string;
  /** The `param` of the handler's decorator. */
  readonly param: any;
  readonly logger: KopfLogger;
  /**
   * The fields that were passed to {@link keep} when the object was converted from the version {@link to} to another one, to be restored;
   * empty if there are none.
   */
  readonly kept: Readonly<Record<string, any>>;
  /**
   * Keeps fields that the version {@link to} does not have, in an annotation of the object, until it is converted to the version {@link
   * from} again.
   *
   * @param fields the fields as JSON; `undefined` ones are left out. Kubernetes limits all annotations of an object to 256 KiB.
   */
  readonly keep: (fields: Readonly<Record<string, unknown>>) => void;
}

/** The context of a conversion of objects of a class: with the types of its `spec` and `status`. */
export type ConversionContextOf<Class extends ObjectClass> = ConversionContext<SpecOf<Class>, StatusOf<Class>>;

/**
 * The object that a `@Convert` handler returns: all fields except `apiVersion`, `kind`, and `metadata`, which the framework adds. Of the
 * metadata, it may return labels and annotations, as Kubernetes does not allow conversions to change other metadata.
 */
export type ConvertedObject<Class extends ObjectClass = any> = Omit<
  InstanceType<Class>,
  'apiVersion' | 'kind' | 'metadata'
> & { readonly metadata?: Pick<ObjectMeta, 'labels' | 'annotations'> };
