// contexts: what handlers get. Causes say what an event means for handlers, an invocation is one attempt, and a context is the
// argument that is made of both; its interface, which is public, stands beside the class that implements it.
// Whether and when a handler is called is decided elsewhere.
// May import: common, objects, resources, state, settings, client.

import type { Reason } from './changing.cause.js';
import type { KopfSettings } from '../settings/kopf.settings.js';
import type { AdmissionOperation, ClientCertificate, UserInfo } from '../reviews/admission.review.js';
import type { ConversionContext } from './conversion.interface.js';
import type { ConnectionInfo } from '../client/vault/connection-info.js';
import type { Diff } from '../objects/diffs.js';
import type { EssenceOf } from '../objects/essences.js';
import type { ObjectEvents } from './object-events.js';
import type { Indices } from './indices.interface.js';
import type { KubeObject, ObjectMeta, PresentMeta, WatchEvent, WatchEventType } from '../objects/kube-object.js';
import type { KopfLogger } from '../common/kopf.logger.js';
import type { Patch } from '../objects/patches.js';
import type { Resource } from '../resources/resources.js';
import type { StopFlag } from './stop-flag.js';
import type { SubhandlerFunction, SubhandlerOptions, SubhandlerSet } from './invocation.js';

/** Holds the part of the context that is the same for every handler. */
export interface InvocationContext {
  /** The `param` of the handler's decorator. */
  readonly param: any;
  /** Counts the attempts before this one: 0 at first. */
  readonly retry: number;
  /** Tells when the first attempt began. */
  readonly started: Date;
  /** Seconds since the first attempt began. */
  readonly runtime: number;
  readonly logger: KopfLogger;
  /** Aborted when the handler's time is over, or when the operator stops without waiting any longer. */
  readonly signal: AbortSignal;
}

/** Serves as the context of handlers of activities: `@OnStartup`, `@OnCleanup`, `@OnLogin`, `@OnProbe`. */
export interface ActivityContext<Memo = any> extends InvocationContext {
  /** The operator's settings; a startup handler can change them. */
  readonly settings: KopfSettings;
  /** The operator's memo, from which every object's memo is copied. */
  readonly memo: Memo;
  /** The indices by their names; empty before objects were listed. */
  readonly indices: Indices;
}

/** Serves as the context of `@OnLogin` handlers. */
export interface LoginContext<Memo = any> extends ActivityContext<Memo> {
  /** The credentials of the pod's service account; `undefined` outside of pods. */
  withServiceAccount(): Promise<ConnectionInfo | undefined>;
  /**
   * The credentials of kubeconfig files, as the built-in login takes them; `undefined` if there are none.
   *
   * @param paths separated as in `KUBECONFIG`. @default the environment's `KUBECONFIG`, else `~/.kube/config`
   * @throws CredentialsError if a kubeconfig was named but does not exist, or its credentials cannot be used.
   */
  withKubeConfig(paths?: string): Promise<ConnectionInfo | undefined>;
}

/** Serves as the context of handlers of objects, and of their filters, which have no parts of an invocation. */
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
  /** `undefined` for an object that belongs to the cluster. */
  readonly namespace: string | undefined;
  readonly uid: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** The kind of the object as the cluster serves it. */
  readonly resource: Resource;
  /** The changes to send when the handlers of this cycle have returned. */
  readonly patch: Patch<Spec, Status>;
  /** Anything to remember of this object until the operator stops or the object goes. */
  readonly memo: Memo;
  /** The indices by their names: `indices.podsByNode.get(name)`. */
  readonly indices: Indices;
  /** The object that controls this one, for handlers with `ownedBy`; `undefined` for others, and if it does not exist any more. */
  readonly parent?: Readonly<KubeObject>;
  readonly logger: KopfLogger;
}

/** Serves as the context of `@OnEvent` handlers. */
export interface EventContext<Spec = any, Status = any, Memo = any>
  extends ObjectContext<Spec, Status, Memo>, InvocationContext, Omit<ObjectEvents, 'event'> {
  /** Names the type of the event; `null` for an object that was listed. */
  readonly type: WatchEventType;
  readonly event: WatchEvent;
  readonly logger: KopfLogger;
}

/**
 * Serves as the context of the filters of `@OnCreate`, `@OnUpdate`, `@OnDelete`, `@OnResume`, and `@OnField`.
 *
 * @typeParam Value of what `old`, `new`, and `diff` are: the essence of the object, or a field's value if the handler has a `field`.
 */
export interface ChangeFilterContext<
  Spec = any,
  Status = any,
  Memo = any,
  Value = EssenceOf<Spec>,
> extends ObjectContext<Spec, Status, Memo> {
  /** Names the reason for which the handler is called. */
  readonly reason: Reason;
  /** The essence before, or the field's value before if the handler has a `field`; `undefined` for a new object. */
  readonly old: Value | undefined;
  /** The essence now, or the field's value now if the handler has a `field`. */
  readonly new: Value;
  /** The differences of both, relative to the field if the handler has one. */
  readonly diff: Diff<NonNullable<Value>>;
}

/**
 * Serves as the context of `@OnCreate`, `@OnUpdate`, `@OnDelete`, `@OnResume`, and `@OnField` handlers. With a `field`, take a
 * {@link FieldContext}, which knows the type of the field.
 *
 * @example
 * @OnUpdate('ephemeralvolumeclaims.kopf.dev')
 * update({ spec, old, patch }: ChangeContext<ClaimSpec, ClaimStatus>) {
 *   if (old?.spec?.size !== spec.size) patch.status.phase = 'Resizing';
 * }
 */
export interface ChangeContext<Spec = any, Status = any, Memo = any, Value = EssenceOf<Spec>>
  extends ChangeFilterContext<Spec, Status, Memo, Value>, InvocationContext, ObjectEvents {
  readonly logger: KopfLogger;
  /**
   * Adds a sub-handler, which is tracked and retried on its own; all of them are executed after this handler has returned.
   * The id is relative to this handler's id.
   */
  subhandler(id: string, handler: SubhandlerFunction<Spec, Status, Memo>, options?: SubhandlerOptions): void;
  /**
   * Executes the given sub-handlers now, or those added by `subhandler()` so far.
   * Rejects while any of them is to be retried: let the error through, the handler is called again in time.
   */
  execute(handlers?: SubhandlerSet<Spec, Status, Memo>): Promise<void>;
}

/**
 * Serves as the context of handlers of changes that have a `field`: `@OnField`, and others with this option. `old`, `new`, and
 * `diff` are of the field, which can be absent.
 *
 * @example
 * @OnField('ephemeralvolumeclaims.kopf.dev', { field: 'spec.size' })
 * resize({ old, new: size }: FieldContext<string, ClaimSpec>) {}
 */
export interface FieldContext<Value = any, Spec = any, Status = any, Memo = any> extends ChangeContext<
  Spec,
  Status,
  Memo,
  Value | undefined
> {}

/**
 * Serves as the context of `@Daemon` handlers. The body and its parts are live views: they always show the newest state of the
 * object,
 * also after destructuring; nested values are those at the time when they are read.
 */
export interface DaemonContext<Spec = any, Status = any, Memo = any>
  extends ObjectContext<Spec, Status, Memo>, InvocationContext, ObjectEvents {
  readonly logger: KopfLogger;
  /** Sent when this attempt has returned or thrown; a new one for each attempt. */
  readonly patch: Patch<Spec, Status>;
  /** Set when the daemon is to stop. */
  readonly stopped: StopFlag;
  /**
   * Aborted when the daemon was asked to stop and its `cancellationBackoff`, if any, is over; also when its `timeout` is over.
   * For functions that take signals: what they throw then is not an error of the daemon.
   */
  readonly signal: AbortSignal;
}

/** Serves as the context of `@Timer` handlers: the same as a daemon's, for each invocation. */
export interface TimerContext<Spec = any, Status = any, Memo = any> extends DaemonContext<Spec, Status, Memo> {}

/** Serves as the context of `@Index` handlers. */
export interface IndexContext<Spec = any, Status = any, Memo = any>
  extends Omit<ObjectContext<Spec, Status, Memo>, 'patch'>, InvocationContext {
  readonly logger: KopfLogger;
}

/**
 * Serves as the context of the filters of `@Validate` and `@Mutate`. The body is the object as it would be stored, or the
 * stored one in deletions.
 */
export interface AdmissionFilterContext<Spec = any, Status = any, Memo = any> extends ObjectContext<
  Spec,
  Status,
  Memo
> {
  /** Names the operation that is about to be done. */
  readonly operation: AdmissionOperation;
  /** The subresource that is asked about: `status`; `undefined` for the object itself. */
  readonly subresource: string | undefined;
  /** Is true if nothing is stored in the end, so that there must be no side effects. */
  readonly dryrun: boolean;
  /** Texts to show to the user, whether the request is refused or not: `warnings.push('…')`. */
  readonly warnings: string[];
  /** Identifies the user who has sent the request to the API server. */
  readonly userinfo: UserInfo;
  /** The headers of the API server's own request, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The certificate of the API server itself, if it has shown one. */
  readonly sslpeer: ClientCertificate | undefined;
  /** The stored object; `undefined` for creations. */
  readonly old: Readonly<KubeObject<Spec, Status>> | undefined;
  /** The object to be stored; `undefined` for deletions. */
  readonly new: Readonly<KubeObject<Spec, Status>> | undefined;
  /** The differences of both. */
  readonly diff: Diff;
}

/**
 * Serves as the context of `@Validate` and `@Mutate` handlers. Changes of `patch` are applied to the object before it is
 * stored.
 * The memo is that of the object; one for a creation is not remembered.
 */
export interface AdmissionContext<Spec = any, Status = any, Memo = any>
  extends AdmissionFilterContext<Spec, Status, Memo>, InvocationContext {
  readonly logger: KopfLogger;
}

/**
 * A context of objects without `spec`, such as ConfigMaps, Secrets, and Events: with the type of the body, of which `old` and `new` are
 * parts in handlers of changes.
 *
 * @typeParam Body the fields of the object beside `apiVersion`, `kind`, and `metadata`; types of other packages, such as `V1ConfigMap`, fit.
 * @example
 * @OnUpdate('configmaps')
 * reload({ body, old }: BodyContext<ChangeContext, { data?: Record<string, string> }>) {
 *   if (old?.data?.mode !== body.data?.mode) this.restart();
 * }
 */
export type BodyContext<Context extends ObjectContext | IndexContext, Body extends object> = {
  readonly [Member in keyof Context as Member extends 'spec' | 'status' ? never : Member]: Member extends 'body'
    ? Readonly<KubeObject & Omit<Body, 'apiVersion' | 'kind' | 'metadata'>>
    : Member extends 'old' | 'new'
      ? | Readonly<
            Omit<Body, 'apiVersion' | 'kind' | 'metadata'> & { metadata?: Pick<ObjectMeta, 'labels' | 'annotations'> }
          >
        | undefined
      : Context[Member];
};

/** Every context that a handler can get, by the kinds of handlers. */
export type AnyHandlerContext =
  | ChangeContext
  | EventContext
  | DaemonContext
  | IndexContext
  | AdmissionContext
  | ConversionContext
  | ActivityContext
  | LoginContext;
