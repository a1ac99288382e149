import type { StorageEvent } from '../storage/storage.event.js';
import { type StoredObject, storedAt } from '../storage/stored.object.js';
import type { ObjectSelection } from './object.selection.js';

/** A change as one watch sees it. */
export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: StoredObject;
}

/**
 * Translates a change for a watch: an object that enters the selection is added, one that leaves it is deleted.
 *
 * @param namespace `undefined` for all namespaces
 * @returns `undefined` if the watch is not concerned
 */
export function selectEvent(
  event: StorageEvent,
  namespace: string | undefined,
  selection: ObjectSelection,
): WatchEvent | undefined {
  const { type, current, previous } = event;
  if (namespace !== undefined && current.namespace !== namespace) return undefined;
  if (selection.isAll) return { type, object: current };
  const isSelected = type !== 'DELETED' && selection.matches(current);
  const wasSelected = previous !== undefined && selection.matches(previous);
  if (isSelected) return { type: wasSelected ? 'MODIFIED' : 'ADDED', object: current };
  if (!wasSelected) return undefined;
  return { type: 'DELETED', object: type === 'DELETED' ? current : storedAt(previous.object, event.revision) };
}
