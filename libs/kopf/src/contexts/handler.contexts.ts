import { ActivityHandlerContext } from './activity-handler.context.js';
import type { AnyHandlerContext } from './contexts.interface.js';
import { ConversionHandlerContext } from './conversion-handler.context.js';
import { ObjectHandlerContext } from './object-handler.context.js';

/**
 * Finds the context of a handler in the value of `REQUEST`. It is `undefined` for HTTP requests, as providers can be created for both, and
 * in durable trees, which outlive the invocation.
 */
export function findHandlerContext(request: unknown): AnyHandlerContext | undefined {
  const classes = [ObjectHandlerContext, ActivityHandlerContext, ConversionHandlerContext];
  const isContext = classes.some((type) => request instanceof type);
  return isContext ? (request as unknown as AnyHandlerContext) : undefined;
}
