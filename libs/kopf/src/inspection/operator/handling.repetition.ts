import { isMap } from 'kube-common';
import type { KubeObject } from '../../objects/kube-object.js';
import { ResourcePatch } from '../../objects/patches.js';
import type { DiffBaseStorage } from '../../state/storages.js';
import type { FailedHandling } from '../../handling/progress.memory.js';
import { planRecordChange } from '../plans/record.plan.js';
import type { InspectedServices } from './inspected.services.js';
import { findRecords, rewriteRecords } from './progress.rewriting.js';

/** The patch after which the operator handles an object again on which handlers have failed for good. */
export interface Repetition {
  /** The ids of the failed handlers. */
  readonly handlers: readonly string[];
  readonly text: string;
  readonly patch: Readonly<Record<string, unknown>>;
}

/**
 * Plans how the failed handlers of an object are called again: if their records are on the object, as new records; otherwise by the change
 * that they were called for, which the object then shows again.
 *
 * @param ids the ids of all handlers of which the object can have records.
 * @param now the time in milliseconds since the epoch.
 * @returns `undefined` if no handler has failed for good, or if nothing on the object would have it called again.
 */
export function planRepetition(
  { settings, lifecycle }: Pick<InspectedServices, 'settings' | 'lifecycle'>,
  ids: Iterable<string>,
  body: KubeObject,
  now: number,
): Repetition | undefined {
  const { progressStorage, diffbaseStorage, lostEssence } = settings.persistence;
  const records = findRecords(progressStorage, ids, body, undefined, 'failed');
  const patch = new ResourcePatch();
  if (records.length > 0) {
    const { change, text } = planRecordChange({ change: 'repeat' }, now);
    rewriteRecords(progressStorage, records, body, patch, (record) => ({ ...record, ...change }));
    const handlers = records.map(({ id }) => id);
    return { handlers, text: text(handlers.join(', ')), patch: patch.toMergePatch() ?? {} };
  }
  const memory = lifecycle.engine?.inventory.find(body.metadata.uid ?? '');
  const failed = memory?.failedHandling;
  if (!failed || body.metadata.deletionTimestamp) return undefined;
  const handlers = [...failed.records.keys()];
  const names = handlers.join(', ');
  if (failed.purpose === 'create' && lostEssence === 'create') {
    const text = `The object is handled as created once more: all handlers of its creation are called, ${names} among them.`;
    return { handlers, text, patch: forgetHandled(diffbaseStorage, body) };
  }
  return planUpdate(failed, handlers, names, diffbaseStorage, body);
}

function planUpdate(
  { purpose, old }: FailedHandling,
  handlers: readonly string[],
  names: string,
  storage: DiffBaseStorage,
  body: KubeObject,
): Repetition | undefined {
  if (purpose !== 'update' || !old) return undefined;
  const patch = new ResourcePatch();
  storage.store(body, patch, old);
  const text = `The update is handled once more: all handlers of the change are called, ${names} among them.`;
  return { handlers, text, patch: patch.toMergePatch() ?? {} };
}

/** Removes what the storage would write, so that the object seems not to have been handled. */
function forgetHandled(storage: DiffBaseStorage, body: KubeObject): Readonly<Record<string, unknown>> {
  const patch = new ResourcePatch();
  storage.store(body, patch, storage.build(body, []));
  return removing(patch.toMergePatch() ?? {});
}

function removing(patch: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(patch).map(([key, value]) => [key, isMap(value) ? removing(value) : null]));
}
