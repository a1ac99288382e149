import { ActivityHandlerContext } from './activity-handler.context.js';
import type { AnyHandlerContext } from './contexts.interface.js';
import { ConversionHandlerContext } from './conversion-handler.context.js';
import { ObjectHandlerContext } from './object-handler.context.js';

/**
 * Finds the context of a handler among what `REQUEST` stands for: it is `undefined` for requests, as providers can be made for both, and
 * in durable trees, which outlive the invocation.
 */
export function findHandlerContext(request: unknown): AnyHandlerContext | undefined {
  const classes = [ObjectHandlerContext, ActivityHandlerContext, ConversionHandlerContext];
  const isContext = classes.some((type) => request instanceof type);
  return isContext ? (request as unknown as AnyHandlerContext) : undefined;
}
