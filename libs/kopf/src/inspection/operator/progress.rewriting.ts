import type { KubeObject } from '../../objects/kube-object.js';
import type { Patch } from '../../objects/patches.js';
import type { ProgressRecord, ProgressStorage } from '../../state/storages.js';

/** The function that makes a new record of the stored one. */
export type RecordChange = (record: ProgressRecord) => ProgressRecord;

/** The record of a handler that is not finished, or has failed. */
export interface OpenRecord {
  readonly id: string;
  readonly record: ProgressRecord;
  /** Whether the handler is included only because one of its sub-handlers is. */
  readonly isParent: boolean;
}

/**
 * Finds the records of the handlers that are not finished, or that have failed for good.
 *
 * @param handler restricts them to one handler, with its parents and its sub-handlers, as a sub-handler is called by its parents.
 */
export function findRecords(
  storage: Pick<ProgressStorage, 'fetch'>,
  ids: Iterable<string>,
  body: KubeObject,
  handler: string | undefined,
  wanted: 'open' | 'failed' = 'open',
): readonly OpenRecord[] {
  const found = new Map<string, ProgressRecord>();
  const pending = [...ids];
  for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
    if (found.has(id)) continue;
    const record = storage.fetch(id, body);
    if (!record) continue;
    found.set(id, record);
    pending.push(...(record.subrefs ?? []));
  }
  const isMeant = (id: string): boolean =>
    handler === undefined || id === handler || id.startsWith(`${handler}/`) || handler.startsWith(`${id}/`);
  const isWanted = ({ success, failure }: ProgressRecord): boolean =>
    !success && (wanted === 'failed' ? failure === true : !failure);
  const open = [...found].filter(([id, record]) => isWanted(record) && isMeant(id));
  return handler !== undefined && !open.some(([id]) => id === handler)
    ? []
    : open.map(([id, record]) => ({ id, record, isParent: handler?.startsWith(`${id}/`) ?? false })).reverse();
}

/**
 * Puts the changed records into a patch, in the places where the operator stores them.
 *
 * @param changeParent changes the records of the parents of the given sub-handlers. @default they stay as they are
 */
export function rewriteRecords(
  storage: Pick<ProgressStorage, 'store'>,
  records: readonly OpenRecord[],
  body: KubeObject,
  patch: Patch,
  change: RecordChange,
  changeParent?: RecordChange,
): void {
  for (const { id, record, isParent } of records) {
    const changeIt = isParent ? changeParent : change;
    if (changeIt) storage.store(id, changeIt(record), body, patch);
  }
}
