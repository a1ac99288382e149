/** How a request wants its object to be written. */
export interface WriteOptions {
  /** Do everything but write. */
  readonly dryRun?: boolean;
  /** What happens to fields that the kind does not have. @default 'Warn' */
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict';
  /** Told what the client's user should know; sent as `warning` headers. */
  readonly warn?: (message: string) => void;
}

/** What a deletion asks for. */
export interface DeleteRequest {
  readonly dryRun?: boolean;
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

/** The object or the subresource that a request is about. */
export interface ObjectTarget {
  /** Empty for resources of the cluster. */
  readonly namespace: string;
  readonly name: string;
  readonly subresource?: string;
}
