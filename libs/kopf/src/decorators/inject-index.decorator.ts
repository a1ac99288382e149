import { Inject } from '@nestjs/common';

/**
 * The injection token of an index, which `KopfModule.forFeature()` provides: for factories, and to replace the index in tests.
 *
 * @example
 * { provide: Overview, useFactory: (pods: Index<string, string>) => new Overview(pods), inject: [getIndexToken('podsByNode')] }
 */
export function getIndexToken(name: string): string {
  return `KopfIndex:${name}`;
}

/**
 * Injects an index into a provider or a controller of a module that imports it. It is empty until the operator works, and kept up to
 * date then.
 *
 * @example
 * @Module({ imports: [KopfModule.forFeature({ indices: ['podsByNode'] })], providers: [PodsService] })
 * export class PodsModule {}
 *
 * constructor(@InjectIndex('podsByNode') private readonly pods: Index<string, string>) {}
 */
export function InjectIndex(name: string): ParameterDecorator & PropertyDecorator {
  return Inject(getIndexToken(name));
}
