import type { Reason } from './reason.js';
import type { AdmissionOperation, ClientCertificate, UserInfo } from '../reviews/admission.review.js';
import type { ObjectDiff } from '../objects/diffs.js';
import type { EssenceOf } from '../objects/essences.js';
import type { Indices } from './indices.interface.js';
import type { KubeObject, PresentMeta } from '../objects/kube-object.js';
import type { KopfLogger } from '../common/kopf.logger.js';
import type { Patch } from '../objects/patches.js';
import type { Resource } from '../resources/resources.js';

/** The context of handlers of objects, and of their filters, which have no parts of an invocation. */
export interface ObjectContext<Spec = any, Status = any, Memo = any> {
  /** The object as it was when the event came. */
  readonly body: Readonly<KubeObject<Spec, Status>>;
  /** `body.spec`, or an empty object. */
  readonly spec: Readonly<Spec>;
  /** `body.metadata`; its labels and annotations are empty if the object has none. */
  readonly meta: Readonly<PresentMeta>;
  /** `body.status`, or an empty object. */
  readonly status: Readonly<Status>;
  readonly name: string;
  /** The namespace; `undefined` for a cluster-scoped object. */
  readonly namespace: string | undefined;
  readonly uid: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** The resource of the object. */
  readonly resource: Resource;
  /** The changes of the object, sent when the handlers of this cycle have returned. */
  readonly patch: Patch<Spec, Status>;
  /** The memory of this object for the application, until the operator stops or the object has gone. */
  readonly memo: Memo;
  /** The indices by their names: `indices.podsByNode.get(name)`. */
  readonly indices: Indices;
  /**
   * The object that controls this one, for handlers with `ownedBy`; `undefined` for other handlers, and if the object does not exist any
   * more.
   */
  readonly parent?: Readonly<KubeObject>;
  readonly logger: KopfLogger;
}

/**
 * The context of the filters of `@OnCreate`, `@OnUpdate`, `@OnDelete`, `@OnResume`, and `@OnField`.
 *
 * @typeParam Value the type of `old`, `new`, and `diff`: the essence of the object, or a field's value if the handler has a `field`.
 */
export interface ChangeFilterContext<
  Spec = any,
  Status = any,
  Memo = any,
  Value = EssenceOf<Spec>,
> extends ObjectContext<Spec, Status, Memo> {
  /** The reason for which the handler is called. */
  readonly reason: Reason;
  /** The essence before, or the field's value before if the handler has a `field`; `undefined` for a new object. */
  readonly old: Value | undefined;
  /** The essence now, or the field's value now if the handler has a `field`. */
  readonly new: Value;
  /** The differences of both, relative to the field if the handler has one. */
  readonly diff: ObjectDiff<NonNullable<Value>>;
}

/** The context of the filters of `@Validate` and `@Mutate`. The body is the object to be stored; for deletions, the stored one. */
export interface AdmissionFilterContext<Spec = any, Status = any, Memo = any> extends ObjectContext<
  Spec,
  Status,
  Memo
> {
  /** The requested operation. */
  readonly operation: AdmissionOperation;
  /** The subresource of the request: `status`; `undefined` for the object itself. */
  readonly subresource: string | undefined;
  /** Whether nothing is stored in the end, so that there must be no side effects. */
  readonly dryrun: boolean;
  /** Texts that are shown to the user, whether the request is rejected or not: `warnings.push('…')`. */
  readonly warnings: string[];
  /** The user who has sent the request to the API server. */
  readonly userinfo: UserInfo;
  /** The headers of the request from the API server, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The certificate of the API server itself, if it has sent one. */
  readonly sslpeer: ClientCertificate | undefined;
  /** The stored object; `undefined` for creations. */
  readonly old: Readonly<KubeObject<Spec, Status>> | undefined;
  /** The object to be stored; `undefined` for deletions. */
  readonly new: Readonly<KubeObject<Spec, Status>> | undefined;
  /** The differences of both. */
  readonly diff: ObjectDiff;
}
