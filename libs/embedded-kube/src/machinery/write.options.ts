import type { Clock } from '../common/clock.js';
import type { ApiUser } from './api.user.js';

/** The longest name of a field manager, in bytes. */
export const MANAGER_LIMIT = 128;

/** How a request wants its object to be written. */
export interface WriteOptions {
  /** Do everything but write. */
  readonly dryRun?: boolean;
  /** What happens to fields that the kind does not have. @default 'Warn' */
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict';
  /** Told what the client's user should know; sent as `warning` headers. */
  readonly warn?: (message: string) => void;
  readonly fieldManager?: string;
  /** What the client calls itself; manages what it writes unless the request names a field manager. */
  readonly userAgent?: string;
  /** Set where the object is written as what it stands for: the subresource, and the dotted path of the only field that it sets. */
  readonly part?: { readonly subresource: string; readonly field: string };
  /** Throws if the user may not create what is applied. */
  readonly assertCreatable?: () => void;
  /** Whether an application takes fields from other managers. */
  readonly force?: boolean;
  /** Who writes. @default a system user */
  readonly user?: ApiUser;
  /** How long the request may take, in milliseconds. @default 34 seconds, which is the most */
  readonly timeout?: number;
  /** Whether it is admitted already, as what it stands for: a scale, a binding. */
  readonly admitted?: boolean;
}

/** What a deletion asks for. */
export interface DeleteRequest {
  readonly dryRun?: boolean;
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
  /** What the request says instead of a policy, in its old form. */
  readonly orphanDependents?: boolean;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  /** Told what the client's user should know; sent as `warning` headers. */
  readonly warn?: (message: string) => void;
  /** Who deletes. @default a system user */
  readonly user?: ApiUser;
  /** How long the request may take, in milliseconds. @default 34 seconds, which is the most */
  readonly timeout?: number;
  /** Whether it is admitted already, as what it stands for: an eviction. */
  readonly admitted?: boolean;
  /** Whether the request names the collection and not the object. */
  readonly collective?: boolean;
}

/** The object or the subresource that a request is about. */
export interface ObjectTarget {
  /** Empty for resources of the cluster. */
  readonly namespace: string;
  readonly name: string;
  readonly subresource?: string;
}

/** How long a request may take, in milliseconds. */
const REQUEST_TIMEOUT = 34_000;

/** Until when a request has to be answered. */
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
  return {
    kind: 'DeleteOptions',
    apiVersion: META_VERSION,
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    ...(preconditions && { preconditions }),
    ...(orphanDependents !== undefined && { orphanDependents }),
    ...(propagationPolicy && orphanDependents === undefined && { propagationPolicy }),
    ...(dryRun && { dryRun: ['All'] }),
  };
}
