/** The place of one object. */
export interface KubeObjectOptions {
  /** The namespace. @default the one of the credentials, else `default`; none for kinds without namespaces */
  readonly namespace?: string;
  /** The subresource: `status`, `scale`. */
  readonly subresource?: string;
  readonly signal?: AbortSignal;
}

/** Which objects are listed or watched. */
export interface KubeListOptions {
  /** @default all namespaces */
  readonly namespace?: string;
  /** In the API's syntax: `app=web,tier!=cache`. */
  readonly labelSelector?: string;
  /** In the API's syntax: `metadata.name=web`. */
  readonly fieldSelector?: string;
  readonly signal?: AbortSignal;
}

/** One page of a listing. */
export interface KubePageOptions extends KubeListOptions {
  /** The most objects of the page. @default all */
  readonly limit?: number;
  /** The token that the page before gave. */
  readonly continue?: string;
}

/** How objects are written. */
export interface KubeWriteOptions extends KubeObjectOptions {
  /** Who owns the fields, for server-side apply and for the record. */
  readonly fieldManager?: string;
  /** Whether everything is done but the writing. @default false */
  readonly dryRun?: boolean;
}

/** How objects are patched. */
export interface KubePatchOptions extends KubeWriteOptions {
  /** `json` takes a list of operations, the others take a part of the object. @default 'merge' */
  readonly type?: 'merge' | 'json' | 'strategic';
}

/** How objects are applied. */
export interface KubeApplyOptions extends KubeWriteOptions {
  readonly fieldManager: string;
  /** Whether fields are taken over from their other owners. @default false */
  readonly force?: boolean;
}

/** How objects are deleted. */
export interface KubeDeleteOptions extends KubeObjectOptions {
  /** What becomes of the dependants. @default the kind's own policy */
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  readonly gracePeriodSeconds?: number;
  /** Conditions: the object is deleted only if it is still the one. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly dryRun?: boolean;
}

/** Which lines of a pod's log are read. */
export interface KubeLogOptions {
  readonly namespace?: string;
  /** @default the pod's only container */
  readonly container?: string;
  /** Whether to wait for more lines. @default false */
  readonly follow?: boolean;
  /** Whether the log of the container before its restart is meant. @default false */
  readonly previous?: boolean;
  /** How many of the last lines. @default all */
  readonly tailLines?: number;
  readonly sinceSeconds?: number;
  readonly timestamps?: boolean;
  readonly signal?: AbortSignal;
}
