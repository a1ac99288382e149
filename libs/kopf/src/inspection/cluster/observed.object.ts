import { parseTimestamp } from 'kube-common';
import { KOPF_FINALIZER } from '../explanation/explanation.js';
import { readStoredState, type StoredProgress, type StoredState } from '../explanation/stored.state.js';
import type { KubeObject } from '../../objects/kube-object.js';

/** The progress of one handler, as an operator has stored it on an object; times are milliseconds since the epoch. */
export interface ObservedProgress {
  readonly handler: string;
  readonly purpose?: string;
  readonly attempts: number;
  readonly startedAt?: number;
  /** When the next attempt is due; absent if the handler is done, or was begun without a delay. */
  readonly dueAt?: number;
  /** When the handler has failed for good. */
  readonly failedAt?: number;
  /** The error of the last attempt. */
  readonly error?: string;
  /** The end of the handler; absent while it is called again. */
  readonly ended?: 'succeeded' | 'failed';
}

/** An attempt after which the handler is not called again, as a Kubernetes event of the operator reports. */
export interface ObservedFailure {
  readonly handler: string;
  readonly error: string;
  readonly at: number;
}

/**
 * Everything that is kept of one object of the cluster: its identity and what operators have left on it, but not its body, as there can be
 * very many objects.
 */
export interface ObservedObject {
  readonly namespace?: string;
  readonly name: string;
  readonly uid?: string;
  /** The `metadata.generation`; absent for resources that have none. */
  readonly generation?: number;
  /** Whether an operator has left state or its finalizer on the object. */
  readonly isHandled: boolean;
  readonly progress: readonly ObservedProgress[];
  readonly deletingSince?: number;
  /** The owners of the finalizers of the object: operators with Kopf's format, other controllers, or both. */
  readonly heldBy: { readonly operator: boolean; readonly others: boolean };
  /** When the object was written for the last time. */
  readonly changedAt?: number;
  /** The last permanent failure. Operators remove its record from the object as soon as the other handlers are done. */
  readonly failure?: ObservedFailure;
}

/** The progress of the many objects without any, which they share. */
const NO_PROGRESS: readonly ObservedProgress[] = [];
const HELD = {
  none: { operator: false, others: false },
  operator: { operator: true, others: false },
  others: { operator: false, others: true },
  both: { operator: true, others: true },
};

/** Reads the state of operators on an object, of any framework with Kopf's format, without knowing their settings. */
export function observeObject(body: KubeObject, now: number): ObservedObject {
  const { namespace, name = '', uid, generation, deletionTimestamp, finalizers = [] } = body.metadata;
  const state = readStoredState(body, now);
  const own = finalizers.filter((each) => isOperatorFinalizer(each, state));
  const heldBy = holdersOf(own.length, finalizers.length - own.length);
  const progress = state.flatMap((each) => each.progress).map(toProgress);
  const isStored = state.some(({ annotations, lastHandled }) => annotations.length + lastHandled.length > 0);
  return {
    ...(namespace !== undefined && { namespace }),
    name,
    uid,
    generation,
    isHandled: isStored || progress.length > 0 || heldBy.operator,
    progress: progress.length > 0 ? progress : NO_PROGRESS,
    deletingSince: parseTimestamp(deletionTimestamp),
    heldBy,
    changedAt: lastWriteOf(body),
  };
}

/** Whether a finalizer is that of an operator with state on the object: the prefix of the annotations is usually in the finalizer, too. */
function isOperatorFinalizer(finalizer: string, state: readonly StoredState[]): boolean {
  if (finalizer === KOPF_FINALIZER) return true;
  return state.some(({ prefix, annotations }) => annotations.length > 0 && finalizer.startsWith(`${prefix}/`));
}

function holdersOf(operators: number, others: number): ObservedObject['heldBy'] {
  if (operators > 0) return others > 0 ? HELD.both : HELD.operator;
  return others > 0 ? HELD.others : HELD.none;
}

function toProgress(stored: StoredProgress): ObservedProgress {
  const { id, state, attempts, purpose, started, stopped, due, message } = stored;
  const startedAt = parseTimestamp(started);
  const dueAt = parseTimestamp(due);
  const failedAt = state === 'failed' ? parseTimestamp(stopped) : undefined;
  return {
    handler: id,
    attempts,
    ...(purpose && { purpose }),
    ...(startedAt !== undefined && { startedAt }),
    ...(dueAt !== undefined && { dueAt }),
    ...(failedAt !== undefined && { failedAt }),
    ...(message && { error: message }),
    ...((state === 'succeeded' || state === 'failed') && { ended: state }),
  };
}

/** Returns the time of the last write by the managed fields; without them, that of the creation. */
function lastWriteOf({ metadata }: KubeObject): number | undefined {
  const { managedFields, creationTimestamp } = metadata;
  const times = Array.isArray(managedFields) ? managedFields.map((each: { time?: unknown }) => each?.time) : [];
  const known = [...times, creationTimestamp].map(parseTimestamp).filter((time) => time !== undefined);
  return known.length > 0 ? Math.max(...known) : undefined;
}
