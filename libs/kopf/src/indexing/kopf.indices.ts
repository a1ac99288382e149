import { Injectable } from '@nestjs/common';
import type { Indices, ReadonlyIndex } from '../contexts/indices.interface.js';
import { IndexRegistry } from './index.registry.js';
import { InspectedAs } from '../common/inspection.js';
import { InjectOwn } from '../kopf.tokens.js';

/**
 * All indices of the operator, for the application's own providers and controllers.
 *
 * @example
 * constructor(private readonly indices: KopfIndices) {}
 * podsOf(node: string) { return this.indices.get<string, string>('podsByNode').get(node)?.toArray() ?? []; }
 */
@Injectable()
@InspectedAs<KopfIndices>(({ names }) => ({ names }))
export class KopfIndices {
  /** @internal */
  constructor(@InjectOwn(IndexRegistry) private readonly registry: IndexRegistry) {}

  /** The indices that handlers keep, by their names. */
  get all(): Indices {
    return this.registry.all;
  }

  /** The names of the indices. */
  get names(): readonly string[] {
    return this.registry.names;
  }

  has(name: string): boolean {
    return this.registry.has(name);
  }

  /**
   * Returns the index of the name: always the same one, empty until objects were listed.
   *
   * @throws UnknownIndexError if the application has started and there is no such index.
   */
  get<K = any, V = any>(name: string): ReadonlyIndex<K, V> {
    return this.registry.get<K, V>(name);
  }
}
