import type { Reason } from './reason.enum.js';
import type { KopfSettings } from '../settings/kopf.settings.js';
import type { AdmissionOperation, ClientCertificate, UserInfo } from './admission.interface.js';
import type { ConnectionInfo } from '../client/vault/connection-info.interface.js';
import type { Diff } from '../objects/diff.interface.js';
import type { ObjectEvents } from './events.interface.js';
import type { Indices } from './indices.interface.js';
import type { KubeObject, ObjectMeta, WatchEvent, WatchEventType } from '../objects/kube-object.interface.js';
import type { KopfLogger } from '../common/logger.interface.js';
import type { Patch } from '../objects/patch.interface.js';
import type { Resource } from '../resources/resource.interface.js';
import type { StopFlag } from './stop-flag.interface.js';
import type { SubhandlerFunction, SubhandlerOptions, SubhandlerSet } from './subhandlers.interface.js';

/** What every handler gets. */
export interface InvocationContext {
  /** The `param` of the handler's decorator. */
  readonly param: any;
  /** How many attempts were made before this one: 0 at first. */
  readonly retry: number;
  /** When the first attempt began. */
  readonly started: Date;
  /** Seconds since the first attempt began. */
  readonly runtime: number;
  readonly logger: KopfLogger;
  /** Aborted when the handler's time is over, or when the operator stops without waiting any longer. */
  readonly signal: AbortSignal;
}

/** What handlers of the operator's own life get: `@OnStartup`, `@OnCleanup`, `@OnLogin`, `@OnProbe`. */
export interface ActivityContext<Memo = any> extends InvocationContext {
  /** The operator's settings; a startup handler can change them. */
  readonly settings: KopfSettings;
  /** The operator's memo, from which every object's memo is copied. */
  readonly memo: Memo;
  /** The indices by their names; empty before objects were listed. */
  readonly indices: Indices;
}

/** What `@OnLogin` handlers get. */
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

/** What handlers of objects get, and what filters get without the parts of the invocation. */
export interface ObjectContext<Spec = any, Status = any, Memo = any> {
  /** The object as it was when the event came. */
  readonly body: Readonly<KubeObject<Spec, Status>>;
  /** `body.spec`, or an empty object. */
  readonly spec: Readonly<Spec>;
  /** `body.metadata`. */
  readonly meta: Readonly<ObjectMeta>;
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
  readonly patch: Patch;
  /** Anything to remember of this object until the operator stops or the object goes. */
  readonly memo: Memo;
  /** The indices by their names: `indices.podsByNode.get(name)`. */
  readonly indices: Indices;
  readonly logger: KopfLogger;
}

/** What `@OnEvent` handlers get. */
export interface EventContext<Spec = any, Status = any, Memo = any>
  extends ObjectContext<Spec, Status, Memo>, InvocationContext, Omit<ObjectEvents, 'event'> {
  /** What happened; `null` for an object that was listed. */
  readonly type: WatchEventType;
  readonly event: WatchEvent;
  readonly logger: KopfLogger;
}

/** What the filters of `@OnCreate`, `@OnUpdate`, `@OnDelete`, `@OnResume`, and `@OnField` get. */
export interface ChangeFilterContext<Spec = any, Status = any, Memo = any> extends ObjectContext<Spec, Status, Memo> {
  /** What has happened to the object. */
  readonly reason: Reason;
  /** The essence before, or the field's value before if the handler has a `field`; `undefined` for a new object. */
  readonly old: any;
  /** The essence now, or the field's value now if the handler has a `field`. */
  readonly new: any;
  /** The differences of both, relative to the field if the handler has one. */
  readonly diff: Diff;
}

/** What `@OnCreate`, `@OnUpdate`, `@OnDelete`, `@OnResume`, and `@OnField` handlers get. */
export interface ChangeContext<Spec = any, Status = any, Memo = any>
  extends ChangeFilterContext<Spec, Status, Memo>, InvocationContext, ObjectEvents {
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
 * What `@Daemon` handlers get. The body and its parts are live views: they show the newest state of the object always,
 * also after destructuring; what lies deeper is of the moment when it is read.
 */
export interface DaemonContext<Spec = any, Status = any, Memo = any>
  extends ObjectContext<Spec, Status, Memo>, InvocationContext, ObjectEvents {
  readonly logger: KopfLogger;
  /** Sent when this attempt has returned or thrown; a new one for each attempt. */
  readonly patch: Patch;
  /** Set when the daemon is to stop. */
  readonly stopped: StopFlag;
  /**
   * Aborted when the daemon was asked to stop and its `cancellationBackoff`, if any, is over; also when its `timeout` is over.
   * For functions that take signals: what they throw then is not an error of the daemon.
   */
  readonly signal: AbortSignal;
}

/** What `@Timer` handlers get: the same as daemons, for each invocation. */
export interface TimerContext<Spec = any, Status = any, Memo = any> extends DaemonContext<Spec, Status, Memo> {}

/** What `@Index` handlers get. */
export interface IndexContext<Spec = any, Status = any, Memo = any>
  extends Omit<ObjectContext<Spec, Status, Memo>, 'patch'>, InvocationContext {
  readonly logger: KopfLogger;
}

/** What the filters of `@Validate` and `@Mutate` get. The body is the object as it would be stored, or the stored one in deletions. */
export interface AdmissionFilterContext<Spec = any, Status = any, Memo = any> extends ObjectContext<
  Spec,
  Status,
  Memo
> {
  /** What is about to be done. */
  readonly operation: AdmissionOperation;
  /** The subresource that is asked about: `status`; `undefined` for the object itself. */
  readonly subresource: string | undefined;
  /** Whether nothing is stored in the end, so that there must be no side effects. */
  readonly dryrun: boolean;
  /** Texts to show to the user, whether the request is refused or not: `warnings.push('…')`. */
  readonly warnings: string[];
  /** Who has sent the request to the API server. */
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
 * What `@Validate` and `@Mutate` handlers get. What is written into `patch` changes the object before it is stored.
 * The memo is that of the object; one for a creation is not remembered.
 */
export interface AdmissionContext<Spec = any, Status = any, Memo = any>
  extends AdmissionFilterContext<Spec, Status, Memo>, InvocationContext {
  readonly logger: KopfLogger;
}
