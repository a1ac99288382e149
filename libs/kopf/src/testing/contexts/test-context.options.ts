import type { ConnectionInfo } from '../../client/vault/connection-info.js';
import type { AdmissionOperation, ClientCertificate, UserInfo } from '../../reviews/admission.review.js';
import type { Reason } from '../../contexts/reason.js';
import type { FieldSpec } from '../../objects/field-path.js';
import type { KubeObject, ObjectMeta, WatchEventType } from '../../objects/kube-object.js';
import type { Resource } from '../../resources/resources.js';
import type { SettingsOptions } from '../../settings/kopf.settings.js';
import type { VirtualClock } from '../time/virtual.clock.js';

/** The parts of an object that matter in a test. The parts that are left out have plain defaults. */
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

/** The options of the contexts of all kinds of handlers. */
export interface TestInvocationOptions {
  /** The `param` of the handler's decorator. */
  readonly param?: unknown;
  /** The number of attempts before this one. @default 0 */
  readonly retry?: number;
  /** Seconds since the first attempt began. @default 0 */
  readonly runtime?: number;
  /** @default one that is never aborted; for daemons and timers, one that `stop()` aborts */
  readonly signal?: AbortSignal;
  /** The clock of the context. @default a separate one, at 2020-12-31T23:59:59Z */
  readonly clock?: VirtualClock;
  /** The entries of indices by the names of the indices: `{ podsByNode: [['node-1', 'pod-a'], ['node-1', 'pod-b']] }`. */
  readonly indices?: Readonly<Record<string, Iterable<readonly [key: any, value: any]>>>;
}

/** The options of the context of a handler of objects. */
export interface TestContextOptions<Spec = any, Status = any, Memo = any>
  extends TestObjectOptions<Spec, Status>, TestInvocationOptions {
  /** @default an empty object */
  readonly memo?: NoInfer<Memo>;
  /** The kind of the object as the cluster serves it. @default made of the object's `apiVersion` and `kind` */
  readonly resource?: Partial<Resource>;
}

/** The options of {@link changeContext}. */
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

/** The options of {@link eventContext}. */
export interface EventContextOptions<Spec = any, Status = any, Memo = any> extends TestContextOptions<
  Spec,
  Status,
  Memo
> {
  /** @default 'MODIFIED' */
  readonly type?: WatchEventType;
}

/** The options of {@link daemonContext} and {@link timerContext}. */
export interface DaemonContextOptions<Spec = any, Status = any, Memo = any> extends TestContextOptions<
  Spec,
  Status,
  Memo
> {
  /** Seconds of virtual time after which the daemon is to stop. @default when `stop()` is called */
  readonly stopAfter?: number;
}

/** The options of {@link admissionContext}. The object is the one to be stored or, in deletions, the stored one. */
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

/** The options of {@link activityContext}. */
export interface ActivityContextOptions<Memo = any> extends TestInvocationOptions {
  /** @default an empty object */
  readonly memo?: NoInfer<Memo>;
  /** Settings that are not the defaults, as they are given to the module. */
  readonly settings?: SettingsOptions;
}

/** The options of {@link loginContext}. */
export interface LoginContextOptions<Memo = any> extends ActivityContextOptions<Memo> {
  /** The result of `withServiceAccount()`. @default nothing, as outside of pods */
  readonly serviceAccount?: ConnectionInfo;
  /**
   * The result of `withKubeConfig(paths)`; a function is called with the paths, and can throw. @default nothing, as without kubeconfig
   * files
   */
  readonly kubeConfig?: ConnectionInfo | ((paths?: string) => ConnectionInfo | undefined);
}
