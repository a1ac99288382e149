// controllers: what works on objects in the background: garbage collection, namespaces, jobs, simulated pods, volumes.
// Works through ControllerClient as any client would, but without HTTP; users write their own against the same interface.
// May import: everything up to machinery.

import type { ApiResource } from '../resources/api-resource.js';
import type { Clock, Random } from 'kube-common';
import type { KubeObject } from '../resources/kube-object.js';
import type { Logger } from '../common/logger.js';

/** A part of the control plane that works on objects in the background: garbage collection, the end of namespaces, simulated pods. */
export interface Controller {
  readonly name: string;
  /**
   * Begins to work. All of its work ends when the context's signal is aborted or `stop` is called. It is started again after it was stopped
   * where the server is restored from a snapshot.
   */
  start(context: ControllerContext): void | Promise<void>;
  /** Resolves once all work has ended. */
  stop(): void | Promise<void>;
}

/** The dependencies of a controller. */
export interface ControllerContext {
  readonly client: ControllerClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Aborted when the server stops. */
  readonly signal: AbortSignal;
}

/** A resource: the version does not matter to objects, so the storage version is taken unless one is given. */
export interface ResourceId {
  /** Empty for the core group. */
  readonly group: string;
  readonly plural: string;
  readonly version?: string;
}

/** A change of an object, delivered synchronously after it is stored. */
export interface ObjectEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly resource: ApiResource;
  /** The object; its last state if it was deleted. Must not be changed. */
  readonly object: KubeObject;
  /** The state before, except for `ADDED`. */
  readonly previous?: KubeObject | undefined;
}

/** The options of {@link ControllerClient.delete}. */
export interface ControllerDeleteOptions {
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
  readonly gracePeriodSeconds?: number;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

/** The options of {@link ControllerClient.apply}. */
export interface ControllerApplyOptions {
  readonly fieldManager: string;
  /** Whether fields are taken from other managers. @default false */
  readonly force?: boolean;
  readonly subresource?: string;
}

/**
 * A controller's access to the server: without HTTP, as a privileged user.
 *
 * Reads are synchronous and return the stored objects themselves, which must not be changed. Writes reject with a `StatusError`
 * (`error.code`, `error.reason`), as an HTTP client would see it, and all methods throw a `TypeError` for an empty name or one that is no
 * text.
 */
export interface ControllerClient {
  /** Returns all resources that are served now, one per group and plural, in their storage version. */
  resources(): readonly ApiResource[];
  /** Returns the resource that serves the kind, `undefined` if none does. */
  resourceOf(apiVersion: string, kind: string): ApiResource | undefined;
  get(resource: ResourceId, namespace: string | undefined, name: string): KubeObject | undefined;
  /** Returns the objects of one namespace, or of all. */
  list(resource: ResourceId, namespace?: string): readonly KubeObject[];
  /** Creates an object; its `apiVersion` and `kind` may be left out. */
  create(resource: ResourceId, namespace: string | undefined, object: object): Promise<KubeObject>;
  /** Replaces an object, or one of its subresources (`status`, `finalize`). */
  update(
    resource: ResourceId,
    namespace: string | undefined,
    name: string,
    object: object,
    subresource?: string,
  ): Promise<KubeObject>;
  /** Applies a JSON merge patch. */
  patch(
    resource: ResourceId,
    namespace: string | undefined,
    name: string,
    patch: object,
    subresource?: string,
  ): Promise<KubeObject>;
  /** Applies a configuration on the server's side; its `apiVersion` and `kind` may be left out. */
  apply(
    resource: ResourceId,
    namespace: string | undefined,
    name: string,
    configuration: object,
    options: ControllerApplyOptions,
  ): Promise<KubeObject>;
  delete(
    resource: ResourceId,
    namespace: string | undefined,
    name: string,
    options?: ControllerDeleteOptions,
  ): Promise<void>;
  /**
   * Calls the listener at each later change of a resource's objects, or of all objects; returns the function that ends it.
   * A listener must not write synchronously: it queues the work.
   */
  watch(resource: ResourceId | 'all', listener: (event: ObjectEvent) => void): () => void;
}
