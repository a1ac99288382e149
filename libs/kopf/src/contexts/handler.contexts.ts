import { ActivityHandlerContext } from './activity-handler.context.js';
import type { AnyHandlerContext } from './contexts.interface.js';
import { ObjectHandlerContext } from './object-handler.context.js';

/**
 * Finds the context of a handler among what `REQUEST` stands for: it is `undefined` for requests, as providers can be made for both, and
 * in durable trees, which outlive the invocation.
 */
export function findHandlerContext(request: unknown): AnyHandlerContext | undefined {
  const isContext = request instanceof ObjectHandlerContext || request instanceof ActivityHandlerContext;
  return isContext ? (request as unknown as AnyHandlerContext) : undefined;
}
