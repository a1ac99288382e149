import type { Clock } from 'kube-common';
import type { WriteCause } from '../storage/stored.object.js';
import type { ApiUser } from './api.user.js';

/** The longest name of a field manager, in bytes. */
export const MANAGER_LIMIT = 128;

/** Configures a write, as its request says. */
export interface WriteOptions {
  /** Do everything but write. */
  readonly dryRun?: boolean;
  /** Decides about fields that the kind does not have. @default 'Warn' */
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict';
  /** The paths of the fields that stand more than once in what was sent. */
  readonly repeatedFields?: readonly string[];
  /** The paths of all members of the body in their order, if some of them are repeated: those where they stand for the second time. */
  readonly fieldOrder?: readonly string[];
  /** The same for YAML, where they are named by their lines: `line 3: key "name" already set in map`. */
  readonly repeatedKeys?: readonly string[];
  /** Tells what is wrong with the operations of a JSON patch, where it can be applied in spite of that. */
  readonly patchProblems?: readonly string[];
  /** The strategic merge patch that the object is made by, for messages. */
  readonly strategicPatch?: unknown;
  /** Told what the client's user should know; sent as `warning` headers. */
  readonly warn?: (message: string) => void;
  readonly fieldManager?: string;
  /** Names the client; it manages the fields that it writes unless the request names a field manager. */
  readonly userAgent?: string;
  /** Throws if the user may not create what is applied. */
  readonly assertCreatable?: () => void;
  /** The one who asks for it, for the record. */
  readonly cause?: WriteCause;
  /** Takes fields from other managers. */
  readonly force?: boolean;
  /** Identifies the user who writes. @default a system user */
  readonly user?: ApiUser;
  /** Limits how long the request may take, in milliseconds. @default 34 seconds, which is the most */
  readonly timeout?: number;
  /** Skips admission, as the request was admitted in another form: as a scale, or a binding. */
  readonly admitted?: boolean;
}

/** Configures a deletion, as its request says. */
export interface DeleteRequest {
  readonly dryRun?: boolean;
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
  /** Requests a policy in its old form. */
  readonly orphanDependents?: boolean;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  /** Told what the client's user should know; sent as `warning` headers. */
  readonly warn?: (message: string) => void;
  /** The one who asks for it, for the record. */
  readonly cause?: WriteCause;
  /** Identifies the user who deletes. @default a system user */
  readonly user?: ApiUser;
  /** Limits how long the request may take, in milliseconds. @default 34 seconds, which is the most */
  readonly timeout?: number;
  /** Skips admission, as the request was admitted in another form: as an eviction. */
  readonly admitted?: boolean;
  /** Is true if the request names the collection and not the object. */
  readonly collective?: boolean;
}

/** The object or the subresource that a request is about. */
export interface ObjectTarget {
  /** Empty for resources of the cluster. */
  readonly namespace: string;
  readonly name: string;
  readonly subresource?: string;
}

/** Limits how long a request may take, in milliseconds. */
const REQUEST_TIMEOUT = 34_000;

/** Computes until when a request has to be answered. */
export function deadlineOf({ timeout = REQUEST_TIMEOUT }: { readonly timeout?: number }, clock: Clock): number {
  return clock.monotonic() + Math.min(timeout, REQUEST_TIMEOUT);
}

const META_VERSION = 'meta.k8s.io/v1';

/** The options of a write, as those see them who admit it. */
export function operationOptions(
  kind: 'CreateOptions' | 'UpdateOptions',
  { dryRun, fieldManager, fieldValidation }: WriteOptions,
): object {
  return {
    kind,
    apiVersion: META_VERSION,
    ...(dryRun && { dryRun: ['All'] }),
    ...(fieldManager && { fieldManager }),
    ...(fieldValidation && { fieldValidation }),
  };
}

/** The options of a deletion, as those see them who admit it. */
export function deletionOptions(
  { dryRun, orphanDependents, preconditions, propagationPolicy }: DeleteRequest,
  gracePeriodSeconds: number | undefined,
): object {
  const options: Record<string, unknown> = { kind: 'DeleteOptions', apiVersion: META_VERSION };
  if (gracePeriodSeconds !== undefined) options['gracePeriodSeconds'] = gracePeriodSeconds;
  if (preconditions) options['preconditions'] = preconditions;
  if (orphanDependents !== undefined) options['orphanDependents'] = orphanDependents;
  else if (propagationPolicy) options['propagationPolicy'] = propagationPolicy;
  if (dryRun) options['dryRun'] = ['All'];
  return options;
}
