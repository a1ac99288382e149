/** The place of one object. */
export interface KubeObjectOptions {
  /** The namespace. @default the one of the credentials, else `default`; none for kinds without namespaces */
  readonly namespace?: string;
  /** The subresource: `status`, `scale`. */
  readonly subresource?: string;
  readonly signal?: AbortSignal;
}

/** Selects the objects that are listed or watched. */
export interface KubeListOptions {
  /** @default all namespaces */
  readonly namespace?: string;
  /** Restricts the objects by labels, in the API's syntax: `app=web,tier!=cache`. */
  readonly labelSelector?: string;
  /** Restricts the objects by fields, in the API's syntax: `metadata.name=web`. */
  readonly fieldSelector?: string;
  readonly signal?: AbortSignal;
}

/** Selects one page of a list. */
export interface KubePageOptions extends KubeListOptions {
  /** The most objects of the page. @default all */
  readonly limit?: number;
  /** The token that the page before gave. */
  readonly continue?: string;
}

/** Configures how an object is written. */
export interface KubeWriteOptions extends KubeObjectOptions {
  /** Names the owner of the fields, for server-side apply and for `managedFields`. */
  readonly fieldManager?: string;
  /** Has the server do everything but store the result. @default false */
  readonly dryRun?: boolean;
}

/** Configures how an object is patched. */
export interface KubePatchOptions extends KubeWriteOptions {
  /** `json` takes a list of operations, the others take a part of the object. @default 'merge' */
  readonly type?: 'merge' | 'json' | 'strategic';
}

/** Configures how an object is applied. */
export interface KubeApplyOptions extends KubeWriteOptions {
  readonly fieldManager: string;
  /** Takes fields over from their other owners instead of failing with a conflict. @default false */
  readonly force?: boolean;
}

/** Configures how an object is deleted. */
export interface KubeDeleteOptions extends KubeObjectOptions {
  /** Decides what the garbage collector does with the dependants. @default the kind's own policy */
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  readonly gracePeriodSeconds?: number;
  /** Conditions: the object is deleted only if it is still the one. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly dryRun?: boolean;
}

/** Selects the lines of a pod's log that are read. */
export interface KubeLogOptions {
  readonly namespace?: string;
  /** @default the pod's only container */
  readonly container?: string;
  /** Waits for more lines. @default false */
  readonly follow?: boolean;
  /** Reads the log of the container before its last restart. @default false */
  readonly previous?: boolean;
  /** Reads only so many of the last lines. @default all */
  readonly tailLines?: number;
  readonly sinceSeconds?: number;
  readonly timestamps?: boolean;
  readonly signal?: AbortSignal;
}
