import { Inject } from '@nestjs/common';
import { DEFAULT_OPERATOR } from '../kopf.tokens.js';

/**
 * Returns the injection token of an index, which `KopfModule.forFeature()` provides: for factories, and to replace the index in tests.
 *
 * @example
 * { provide: Overview, useFactory: (pods: Index<string, string>) => new Overview(pods), inject: [getIndexToken('podsByNode')] }
 *
 * @param operator the name of the operator that keeps the index. @default the operator without a name
 */
export function getIndexToken(name: string, operator = DEFAULT_OPERATOR): string {
  return operator === DEFAULT_OPERATOR ? `KopfIndex:${name}` : `KopfIndex:${name}:${operator}`;
}

/**
 * Injects an index into a provider or a controller of a module that imports it. It is empty until the operator has listed the objects, and
 * is kept up to date from then on.
 *
 * @example
 * @Module({ imports: [KopfModule.forFeature({ indices: ['podsByNode'] })], providers: [PodsService] })
 * export class PodsModule {}
 *
 * constructor(@InjectIndex('podsByNode') private readonly pods: Index<string, string>) {}
 *
 * @param operator the name of the operator that keeps the index, the same as for `forFeature()`. @default the operator without a name
 */
export function InjectIndex(name: string, operator?: string): ParameterDecorator & PropertyDecorator {
  return Inject(getIndexToken(name, operator));
}
