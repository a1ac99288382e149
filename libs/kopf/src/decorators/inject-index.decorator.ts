import { Inject } from '@nestjs/common';

const INJECTED_INDICES = 'nestjs-kopf:injected-indices';

/** The injection token of an index. */
export function indexToken(name: string): string {
  return `KopfIndex:${name}`;
}

/** The names that {@link InjectIndex} was given so far. */
export function injectedIndices(): readonly string[] {
  return (Reflect.getMetadata(INJECTED_INDICES, InjectIndex) as readonly string[] | undefined) ?? [];
}

/**
 * Injects an index into a provider or a controller. It is empty until the operator works, and kept up to date then.
 *
 * @example
 * constructor(@InjectIndex('podsByNode') private readonly pods: Index<string, string>) {}
 */
export function InjectIndex(name: string): ParameterDecorator & PropertyDecorator {
  Reflect.defineMetadata(INJECTED_INDICES, [...new Set([...injectedIndices(), name])], InjectIndex);
  return Inject(indexToken(name));
}
