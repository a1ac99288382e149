import type { ConnectionInfo } from '../client/vault/connection-info.js';
import type { AdmissionOperation, ClientCertificate, UserInfo } from '../reviews/admission.review.js';
import type { Reason } from '../contexts/reason.js';
import type { FieldSpec } from '../objects/field-path.js';
import type { KubeObject, ObjectMeta, WatchEventType } from '../objects/kube-object.js';
import type { Resource } from '../resources/resources.js';
import type { SettingsOptions } from '../settings/kopf.settings.js';
import type { VirtualClock } from './virtual.clock.js';

/** Describes an object by what matters in a test. Everything that is left out has a plain default. */
export interface TestObjectOptions<Spec = any, Status = any> {
  readonly spec?: Partial<NoInfer<Spec>>;
  readonly status?: Partial<NoInfer<Status>>;
  /** @default 'example' */
  readonly name?: string;
  /** `null` makes an object without a namespace. @default 'default' */
  readonly namespace?: string | null;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Other fields of the metadata: `{ generation: 2 }`. */
  readonly metadata?: Readonly<Partial<ObjectMeta>>;
  /** Other fields of the object: `{ apiVersion: 'v1', kind: 'ConfigMap', data: { … } }`. It can be a whole object, too. */
  readonly body?: Readonly<Partial<KubeObject>>;
}

/** Configures what all contexts have, of whatever kind of handlers. */
export interface TestInvocationOptions {
  /** Sets the `param` of the handler's decorator. */
  readonly param?: unknown;
  /** Counts the attempts before this one. @default 0 */
  readonly retry?: number;
  /** Seconds since the first attempt began. @default 0 */
  readonly runtime?: number;
  /** @default one that is never aborted; for daemons and timers, one that `stop()` aborts */
  readonly signal?: AbortSignal;
  /** Is the time of the context. @default one of its own, at 2020-12-31T23:59:59Z */
  readonly clock?: VirtualClock;
  /** Holds the entries of indices by the names of the indices: `{ podsByNode: [['node-1', 'pod-a'], ['node-1', 'pod-b']] }`. */
  readonly indices?: Readonly<Record<string, Iterable<readonly [key: any, value: any]>>>;
}

/** Configures the context of a handler of objects. */
export interface TestContextOptions<Spec = any, Status = any, Memo = any>
  extends TestObjectOptions<Spec, Status>, TestInvocationOptions {
  /** @default an empty object */
  readonly memo?: NoInfer<Memo>;
  /** The kind of the object as the cluster serves it. @default made of the object's `apiVersion` and `kind` */
  readonly resource?: Partial<Resource>;
}

/** Configures {@link changeContext}. */
export interface ChangeContextOptions<Spec = any, Status = any, Memo = any> extends TestContextOptions<
  Spec,
  Status,
  Memo
> {
  /** @default 'update' if there is an `old` object, else 'create' */
  readonly reason?: Reason;
  /** The parts of the object that were different when it was handled last; all others were as they are now. */
  readonly old?: TestObjectOptions<Spec, Status>;
  /** The field of the handler, to which `old`, `new`, and `diff` are reduced. */
  readonly field?: FieldSpec;
}

/** Configures {@link eventContext}. */
export interface EventContextOptions<Spec = any, Status = any, Memo = any> extends TestContextOptions<
  Spec,
  Status,
  Memo
> {
  /** @default 'MODIFIED' */
  readonly type?: WatchEventType;
}

/** Configures {@link daemonContext} and {@link timerContext}. */
export interface DaemonContextOptions<Spec = any, Status = any, Memo = any> extends TestContextOptions<
  Spec,
  Status,
  Memo
> {
  /** Seconds of virtual time after which the daemon is to stop. @default when `stop()` is called */
  readonly stopAfter?: number;
}

/** Configures {@link admissionContext}. The object is the one to be stored or, in deletions, the stored one. */
export interface AdmissionContextOptions<Spec = any, Status = any, Memo = any> extends TestContextOptions<
  Spec,
  Status,
  Memo
> {
  /** @default 'UPDATE' if there is an `old` object, else 'CREATE' */
  readonly operation?: AdmissionOperation;
  /** The parts of the stored object that are different; all others are as in the object to be stored. */
  readonly old?: TestObjectOptions<Spec, Status>;
  readonly subresource?: string;
  /** @default false */
  readonly dryrun?: boolean;
  readonly userinfo?: UserInfo;
  readonly headers?: Readonly<Record<string, string>>;
  readonly sslpeer?: ClientCertificate;
}

/** Configures {@link activityContext}. */
export interface ActivityContextOptions<Memo = any> extends TestInvocationOptions {
  /** @default an empty object */
  readonly memo?: NoInfer<Memo>;
  /** Settings that are not the defaults, as they are given to the module. */
  readonly settings?: SettingsOptions;
}

/** Configures {@link loginContext}. */
export interface LoginContextOptions<Memo = any> extends ActivityContextOptions<Memo> {
  /** Comes from `withServiceAccount()`. @default nothing, as outside of pods */
  readonly serviceAccount?: ConnectionInfo;
  /** Comes from `withKubeConfig(paths)`; a function is called with the paths, and can throw. @default nothing, as without kubeconfig files */
  readonly kubeConfig?: ConnectionInfo | ((paths?: string) => ConnectionInfo | undefined);
}
