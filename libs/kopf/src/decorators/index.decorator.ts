import type { IndexOptions } from './handler-options.interface.js';
import type { ReadonlyIndex } from '../contexts/indices.interface.js';
import { resourceHandler, type ResourceHandlerArgs } from './resource-handler.decorator.js';

/** Gives read access to an index, by injection or by the context. */
export interface Index<K = any, V = any> extends ReadonlyIndex<K, V> {}

/**
 * Keeps an index of objects in memory: the method is called for each object when it appears or changes.
 *
 * A `Map`, or a plain object, gives values for keys; anything else is one value under the key `null`. `null` and `undefined`
 * keep what was there. The index has the name of the method, or the `id`. All indices are complete before any other handler
 * is called. The method must be fast, and gets an {@link IndexContext}.
 *
 * @example
 * @Index('pods')
 * podsByNode({ spec, namespace, name }: IndexContext) {
 *   return { [spec.nodeName ?? '']: `${namespace}/${name}` };
 * }
 */
export function Index(...args: ResourceHandlerArgs<IndexOptions>): MethodDecorator {
  return resourceHandler('index', '@Index', args);
}
