// contexts: the arguments of handlers. A cause is the meaning of an event for handlers, an invocation is one attempt, and a context is the
// argument that is made of both; its public interface stands beside the class that implements it. Other folders decide whether and when a
// handler is called.
// May import: common, objects, resources, state, settings, client.

import type { KopfSettings } from '../settings/kopf.settings.js';
import type { ConversionContext } from './conversion.interface.js';
import type { ConnectionInfo } from '../client/vault/connection-info.js';
import type { EssenceOf } from '../objects/essences.js';
import type { ObjectEvents } from './object-events.js';
import type { Indices } from './indices.interface.js';
import type { KubeObject, ObjectMeta, WatchEvent, WatchEventType } from '../objects/kube-object.js';
import type { KopfLogger } from '../common/kopf.logger.js';
import type { Patch } from '../objects/patches.js';
import type { StopFlag } from './stop-flag.js';
import type { SubhandlerOptions } from './change-options.js';
import type { ObjectContext, ChangeFilterContext, AdmissionFilterContext } from './filter-contexts.interface.js';

/** The part of the context that is the same for every handler. */
export interface InvocationContext {
  /** The `param` of the handler's decorator. */
  readonly param: any;
  /** The number of attempts before this one: 0 at first. */
  readonly retry: number;
  /** The time of the first attempt. */
  readonly started: Date;
  /** Seconds since the first attempt began. */
  readonly runtime: number;
  readonly logger: KopfLogger;
  /** Aborted when the handler's time is over, or when the operator stops without waiting any longer. */
  readonly signal: AbortSignal;
}

/** The context of handlers of activities: `@OnStartup`, `@OnCleanup`, `@OnLogin`, `@OnProbe`. */
export interface ActivityContext<Memo = any> extends InvocationContext {
  /** The operator's settings; a startup handler can change them. */
  readonly settings: KopfSettings;
  /** The operator's memo, from which every object's memo is copied. */
  readonly memo: Memo;
  /** The indices by their names; empty before objects were listed. */
  readonly indices: Indices;
}

/** The context of `@OnLogin` handlers. */
export interface LoginContext<Memo = any> extends ActivityContext<Memo> {
  /** The credentials of the pod's service account; `undefined` outside of pods. */
  withServiceAccount(): Promise<ConnectionInfo | undefined>;
  /**
   * The credentials of kubeconfig files, as the built-in login reads them; `undefined` if there are none.
   *
   * @param paths separated as in `KUBECONFIG`. @default the environment's `KUBECONFIG`, else `~/.kube/config`
   * @throws CredentialsError if a kubeconfig was named but does not exist, or its credentials cannot be used.
   */
  withKubeConfig(paths?: string): Promise<ConnectionInfo | undefined>;
}

/** The context of `@OnEvent` handlers. */
export interface EventContext<Spec = any, Status = any, Memo = any>
  extends ObjectContext<Spec, Status, Memo>, InvocationContext, Omit<ObjectEvents, 'event'> {
  /** The type of the event; `null` for an object that was listed. */
  readonly type: WatchEventType;
  readonly event: WatchEvent;
  readonly logger: KopfLogger;
}

/**
 * The context of `@OnCreate`, `@OnUpdate`, `@OnDelete`, `@OnResume`, and `@OnField` handlers. For a handler with a `field`, use a {@link
 * FieldContext}, which has the type of the field.
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
   * Adds a sub-handler, which has its own progress and retries; all sub-handlers are executed after this handler has returned. The id is
   * relative to this handler's id.
   */
  subhandler(id: string, handler: SubhandlerFunction<Spec, Status, Memo>, options?: SubhandlerOptions): void;
  /**
   * Executes the given sub-handlers now, or those added by `subhandler()` so far. Rejects while any of them is to be retried: do not catch
   * the error, and the handler is called again when it is due.
   */
  execute(handlers?: SubhandlerSet<Spec, Status, Memo>): Promise<void>;
}

/**
 * The context of handlers of changes that have a `field`: `@OnField`, and others with this option. `old`, `new`, and `diff` are those of
 * the field, which can be absent.
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
 * The context of `@Daemon` handlers. The body and its parts are live views: they always show the newest state of the object, also after
 * destructuring; nested values are those at the time when they are read.
 */
export interface DaemonContext<Spec = any, Status = any, Memo = any>
  extends ObjectContext<Spec, Status, Memo>, InvocationContext, ObjectEvents {
  readonly logger: KopfLogger;
  /** Sent when this attempt has returned or thrown; a new one for each attempt. */
  readonly patch: Patch<Spec, Status>;
  /** Set when the daemon is to stop. */
  readonly stopped: StopFlag;
  /**
   * Aborted when the daemon was asked to stop and its `cancellationBackoff`, if any, is over; also when its `timeout` is over. For
   * functions that take signals: the error that they throw then is not an error of the daemon.
   */
  readonly signal: AbortSignal;
}

/** The context of `@Timer` handlers: the same as a daemon's, for each invocation. */
export interface TimerContext<Spec = any, Status = any, Memo = any> extends DaemonContext<Spec, Status, Memo> {}

/** The context of `@Index` handlers. */
export interface IndexContext<Spec = any, Status = any, Memo = any>
  extends Omit<ObjectContext<Spec, Status, Memo>, 'patch'>, InvocationContext {
  readonly logger: KopfLogger;
}

/**
 * The context of `@Validate` and `@Mutate` handlers. Changes of `patch` are applied to the object before it is stored. The memo is that of
 * the object; in creations, it is not kept.
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

/** A sub-handler, which gets its own context; its result is stored in `status.{parent id/id}`. */
export type SubhandlerFunction<Spec = any, Status = any, Memo = any> = (
  context: ChangeContext<Spec, Status, Memo>,
) => unknown;

/** Sub-handlers by their ids, or functions whose names are the ids. */
export type SubhandlerSet<Spec = any, Status = any, Memo = any> =
  Readonly<Record<string, SubhandlerFunction<Spec, Status, Memo>>> | readonly SubhandlerFunction<Spec, Status, Memo>[];
