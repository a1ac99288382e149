/** The place of one object. */
export interface KubeObjectOptions {
  /** The namespace. @default the one of the credentials, else `default`; none for kinds without namespaces */
  readonly namespace?: string;
  /** The subresource: `status`, `scale`. */
  readonly subresource?: string;
  readonly signal?: AbortSignal;
}

/** The selection of the objects that are listed or watched. */
export interface KubeListOptions {
  /** @default all namespaces */
  readonly namespace?: string;
  /** A label selector, in the API's syntax: `app=web,tier!=cache`. */
  readonly labelSelector?: string;
  /** A field selector, in the API's syntax: `metadata.name=web`. */
  readonly fieldSelector?: string;
  readonly signal?: AbortSignal;
}

/** The selection of one page of a list. */
export interface KubePageOptions extends KubeListOptions {
  /** The most objects of the page. @default all */
  readonly limit?: number;
  /** The token of the page, from the page before it. */
  readonly continue?: string;
}

/** The options of writing an object. */
export interface KubeWriteOptions extends KubeObjectOptions {
  /** The name of the fields' owner, for server-side apply and for `managedFields`. */
  readonly fieldManager?: string;
  /** Whether the server does everything except storing the result. @default false */
  readonly dryRun?: boolean;
}

/** The options of patching an object. */
export interface KubePatchOptions extends KubeWriteOptions {
  /** `json` takes a list of operations, the others take a part of the object. @default 'merge' */
  readonly type?: 'merge' | 'json' | 'strategic';
}

/** The options of applying an object. */
export interface KubeApplyOptions extends KubeWriteOptions {
  readonly fieldManager: string;
  /** Whether fields are taken over from other owners, instead of failing with a conflict. @default false */
  readonly force?: boolean;
}

/** The options of deleting an object. */
export interface KubeDeleteOptions extends KubeObjectOptions {
  /** What the garbage collector does with the dependants. @default the kind's own policy */
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  readonly gracePeriodSeconds?: number;
  /** The conditions under which the object is deleted. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly dryRun?: boolean;
}

/** The selection of the lines of a pod's log. */
export interface KubeLogOptions {
  readonly namespace?: string;
  /** @default the pod's only container */
  readonly container?: string;
  /** Whether the call waits for further lines. @default false */
  readonly follow?: boolean;
  /** Whether the log of the container before its last restart is read. @default false */
  readonly previous?: boolean;
  /** The number of last lines to read. @default all */
  readonly tailLines?: number;
  readonly sinceSeconds?: number;
  readonly timestamps?: boolean;
  readonly signal?: AbortSignal;
}
