import type { Type } from '@nestjs/common';
import type { ModulesContainer } from '@nestjs/core';

/**
 * Finds the modules that have the provider, however often they are imported, and by whom each of them is.
 *
 * A module that `forRoot()` has made is another one with each call; one that is kept and imported in several places is the same.
 *
 * @returns for each of the modules, the names of the modules that import it.
 */
export function findImporters(modules: ModulesContainer, provider: Type): readonly (readonly string[])[] {
  const all = [...modules.values()];
  const owners = all.filter(({ providers }) => providers.has(provider));
  return owners.map((owner) => all.filter(({ imports }) => imports.has(owner)).map(({ metatype }) => metatype.name));
}
