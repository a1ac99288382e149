import type { ChangingCause } from './changing.cause.js';
import { matches, prematches } from './filters.js';
import { deduplicate, type ChangingHandler, type WatchingHandler } from './handler.js';
import type { WatchingCause } from './watching.cause.js';

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
  return deduplicate(handlers.filter((handler) => isForReason(handler, cause) && matches(handler, cause)));
}

/** Whether any of the handlers is for the object at all. */
export function anyPrematches(handlers: readonly ChangingHandler[], cause: ChangingCause): boolean {
  return handlers.some((handler) => prematches(handler, cause));
}

/** Whether any of the handlers that are for the object must be called before the object goes. */
export function anyRequiresFinalizer(handlers: readonly ChangingHandler[], cause: ChangingCause): boolean {
  return handlers.some((handler) => handler.requiresFinalizer && prematches(handler, cause));
}

function isForReason(handler: ChangingHandler, cause: ChangingCause): boolean {
  if (handler.reason !== undefined && handler.reason !== cause.reason) return false;
  if (!handler.initial) return true;
  return cause.initial && (!cause.deleted || handler.deleted === true);
}
