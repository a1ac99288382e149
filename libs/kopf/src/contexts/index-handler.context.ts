import type { IndexContext } from './contexts.interface.js';
import type { IndexingCause } from './indexing.cause.js';
import { ObjectHandlerContext } from './object-handler.context.js';

/** Serves as the context of `@Index` handlers. */
export class IndexHandlerContext extends ObjectHandlerContext<IndexingCause> implements IndexContext {}
