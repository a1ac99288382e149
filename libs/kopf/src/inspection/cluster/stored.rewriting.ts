import { isSameId, pathOfPlace, readStoredState, type StoredProgress } from '../explanation/stored.state.js';
import { parseJson } from 'kube-common';
import { resolveField } from '../../objects/field-path.js';
import type { KubeObject } from '../../objects/kube-object.js';
import { encodeState } from '../../state/state-encoding.js';
import type { ProgressRecord } from '../../state/storages.js';

/** The stored records that an action changes. */
export interface StoredSelection {
  /** The records of the handlers that are meant. */
  readonly meant: readonly StoredProgress[];
  /** The records of the handlers that have these as sub-handlers: they must be called, too. */
  readonly parents: readonly StoredProgress[];
}

/** Returns the records of the handlers that have failed for good. */
export function selectFailed(body: KubeObject, now: number): StoredSelection {
  const progress = readStoredState(body, now).flatMap((each) => each.progress);
  return { meant: progress.filter(({ state }) => state === 'failed'), parents: [] };
}

/**
 * Finds the records of handlers that are not done.
 *
 * @param handler restricts them to one handler with its sub-handlers. @default all of them
 */
export function selectStored(body: KubeObject, handler: string | undefined, now: number): StoredSelection {
  const progress = readStoredState(body, now).flatMap((each) => each.progress);
  const open = progress.filter(({ state }) => state !== 'succeeded' && state !== 'failed');
  if (handler === undefined) return { meant: open, parents: [] };
  const own = open.find(({ id }) => isSameId(id, handler));
  if (!own) return { meant: [], parents: [] };
  const isBelow = (one: StoredProgress, other: StoredProgress): boolean =>
    other.subhandlers?.some((id) => isSameId(id, one.id)) === true;
  return {
    meant: open.filter((each) => each === own || isBelow(each, own)),
    parents: open.filter((each) => isBelow(own, each)),
  };
}

/** A record, and the new values of its members; those that are `null` are removed. */
export interface RecordRewriting {
  readonly record: StoredProgress;
  readonly change: Partial<ProgressRecord>;
}

/** Makes a merge patch that changes records in all places where they are stored. */
export function rewriteStored(body: KubeObject, rewritings: readonly RecordRewriting[]): Record<string, unknown> {
  const patch: Record<string, unknown> = {};
  for (const { record, change } of rewritings) {
    for (const path of record.places.map(pathOfPlace)) setPath(patch, path, rewrite(resolveField(body, path), change));
  }
  return patch;
}

/** Rewrites a record: in annotations, records are texts; in the status, the merge patch removes members that are `null`. */
function rewrite(stored: unknown, change: Partial<ProgressRecord>): unknown {
  if (typeof stored !== 'string') return change;
  const changed = Object.entries({ ...(parseJson(stored) as ProgressRecord), ...change });
  return encodeState(Object.fromEntries(changed.filter(([, value]) => value !== null)));
}

function setPath(target: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [name, ...rest] = path;
  if (rest.length === 0) target[name] = value;
  else setPath((target[name] ??= {}) as Record<string, unknown>, rest, value);
}
