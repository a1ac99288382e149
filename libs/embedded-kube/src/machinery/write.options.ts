import type { Clock } from 'kube-common';
import type { WriteCause } from '../storage/stored.object.js';
import type { ApiUser } from './api.user.js';

/** The longest name of a field manager, in bytes. */
export const MANAGER_LIMIT = 128;

/** The options of a write, as in its request. */
export interface WriteOptions {
  /** Whether everything but the write itself is done. */
  readonly dryRun?: boolean;
  /** The treatment of fields that the kind does not have. @default 'Warn' */
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict';
  /** The paths of the fields that stand more than once in what was sent. */
  readonly repeatedFields?: readonly string[];
  /** The paths of all members of the body in their order, if some of them are repeated: those where they stand for the second time. */
  readonly fieldOrder?: readonly string[];
  /** The same for YAML, where they are named by their lines: `line 3: key "name" already set in map`. */
  readonly repeatedKeys?: readonly string[];
  /** What was sent, with the whole numbers that are written as fractions, which are no integers; absent if there are none. */
  readonly writtenNumbers?: unknown;
  /** The problems of operations of a JSON patch that can be applied in spite of them. */
  readonly patchProblems?: readonly string[];
  /** The strategic merge patch that the object is made by, for messages. */
  readonly strategicPatch?: unknown;
  /** Called with warnings for the client's user, which are sent as `warning` headers. */
  readonly warn?: (message: string) => void;
  readonly fieldManager?: string;
  /** The name of the client, which manages the fields that it writes unless the request names a field manager. */
  readonly userAgent?: string;
  /** Throws if the user may not create what is applied. */
  readonly assertCreatable?: () => void;
  /** The request behind the write, for the record of changes. */
  readonly cause?: WriteCause;
  /** Whether fields are taken from other managers. */
  readonly force?: boolean;
  /** The user who writes. @default a system user */
  readonly user?: ApiUser;
  /** The time that the request may take, in milliseconds. @default 34 seconds, which is the most */
  readonly timeout?: number;
  /** Whether admission is skipped, as the request was admitted in another form: as a scale, or a binding. */
  readonly admitted?: boolean;
}

/** The options of a deletion, as in its request. */
export interface DeleteRequest {
  readonly dryRun?: boolean;
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
  /** The policy for dependents in its old form. */
  readonly orphanDependents?: boolean;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  /** Called with warnings for the client's user, which are sent as `warning` headers. */
  readonly warn?: (message: string) => void;
  /** The request behind the deletion, for the record of changes. */
  readonly cause?: WriteCause;
  /** The user who deletes. @default a system user */
  readonly user?: ApiUser;
  /** The time that the request may take, in milliseconds. @default 34 seconds, which is the most */
  readonly timeout?: number;
  /** Whether admission is skipped, as the request was admitted in another form: as an eviction. */
  readonly admitted?: boolean;
  /** Whether the request is about the collection, not one object. */
  readonly collective?: boolean;
}

/** The object or the subresource that a request is about. */
export interface ObjectTarget {
  /** Empty for resources of the cluster. */
  readonly namespace: string;
  readonly name: string;
  readonly subresource?: string;
}

/** The time that a request may take, in milliseconds. */
const REQUEST_TIMEOUT = 34_000;

/** Computes until when a request has to be answered. */
export function deadlineOf({ timeout = REQUEST_TIMEOUT }: { readonly timeout?: number }, clock: Clock): number {
  return clock.monotonic() + Math.min(timeout, REQUEST_TIMEOUT);
}

const META_VERSION = 'meta.k8s.io/v1';

/** Returns the options of a write as admission sees them. */
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

/** Returns the options of a deletion as admission sees them. */
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
