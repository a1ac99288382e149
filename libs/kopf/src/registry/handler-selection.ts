import type { AdmissionCause } from '../contexts/admission.cause.js';
import type { ChangingCause } from '../contexts/changing.cause.js';
import { matches, prematches } from './filters.js';
import {
  deduplicate,
  isForChange,
  type AdmissionHandler,
  type BackgroundHandler,
  type ChangingHandler,
  type IndexingHandler,
  type WatchingHandler,
} from './handler.js';
import type { ObjectCause, WatchingCause } from '../contexts/object.causes.js';

/** Selects the handlers of an event. */
export function selectWatchingHandlers(
  handlers: readonly WatchingHandler[],
  cause: WatchingCause,
): readonly WatchingHandler[] {
  return deduplicate(handlers.filter((handler) => matches(handler, cause)));
}

/** Selects the handlers of a change, by its reason and by their filters. */
export function selectChangingHandlers(
  handlers: readonly ChangingHandler[],
  cause: ChangingCause,
): readonly ChangingHandler[] {
  return deduplicate(handlers.filter((handler) => isForChange(handler, cause) && matches(handler, cause)));
}

/** Selects the daemons and timers that are for the object, except those with the excluded ids. */
export function selectSpawningHandlers(
  handlers: readonly BackgroundHandler[],
  cause: ObjectCause,
  excluded: ReadonlySet<string> | undefined,
): readonly BackgroundHandler[] {
  return deduplicate(handlers.filter((handler) => !excluded?.has(handler.id) && matches(handler, cause)));
}

/** Selects the handlers that index the object. */
export function selectIndexingHandlers(
  handlers: readonly IndexingHandler[],
  cause: ObjectCause,
): readonly IndexingHandler[] {
  return handlers.filter((handler) => matches(handler, cause));
}

/** Selects the admission handlers that review the object. */
export function selectAdmissionHandlers(
  handlers: readonly AdmissionHandler[],
  cause: AdmissionCause,
): readonly AdmissionHandler[] {
  return deduplicate(handlers.filter((handler) => isForRequest(handler, cause) && matches(handler, cause)));
}

/** Checks whether any of the handlers is for the object at all. */
export function anyPrematches(handlers: readonly ChangingHandler[], cause: ChangingCause): boolean {
  return handlers.some((handler) => prematches(handler, cause));
}

/** Checks whether any of the handlers that are for the object must be called before the object is deleted. */
export function anyRequiresFinalizer(handlers: readonly ChangingHandler[], cause: ChangingCause): boolean {
  return handlers.some((handler) => handler.requiresFinalizer && prematches(handler, cause));
}

/** Checks whether any daemon or timer is for the object, and has not returned. */
export function anySpawningRequiresFinalizer(
  handlers: readonly BackgroundHandler[],
  cause: ObjectCause,
  excluded: ReadonlySet<string> | undefined,
): boolean {
  return handlers.some((handler) => holdsDeletion(handler) && !excluded?.has(handler.id) && prematches(handler, cause));
}

/**
 * Whether the object must not be deleted before the handler has ended. Daemons and timers hold it, unless their option `finalizer` is false;
 * handlers of related objects and of logs never do.
 */
export function holdsDeletion(handler: BackgroundHandler): boolean {
  return (handler.kind === 'daemon' || handler.kind === 'timer') && handler.finalizer !== false;
}

function isForRequest({ kind, operations, subresource }: AdmissionHandler, cause: AdmissionCause): boolean {
  if (subresource !== '*' && subresource !== cause.subresource) return false;
  // The review of a deletion cannot change the object, so a mutating handler is called for it only if it asks for deletions alone.
  if (kind === 'mutate' && cause.operation === 'DELETE') return operations?.length === 1 && operations[0] === 'DELETE';
  return operations === undefined || operations.includes(cause.operation);
}
