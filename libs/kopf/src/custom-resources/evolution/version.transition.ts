import type { CustomResourceDefinition, CustomResourceVersion } from '../definition.interface.js';
import { findDefinitionChanges, storedVersionsOf, type EvolutionOptions } from './definition.changes.js';
import type { DefinitionChange } from './version.changes.js';

/**
 * Creates the CRD of a transition: with all versions of the new one, and those of the old one in which objects are still stored, so that
 * they can be read and rewritten.
 *
 * @returns `undefined` if no version is removed in which objects are stored.
 */
export function createTransition(
  old: CustomResourceDefinition,
  next: CustomResourceDefinition,
): CustomResourceDefinition | undefined {
  const leaving = leavingVersions(old, next);
  if (leaving.length === 0) return undefined;
  const kept = leaving.map((version) => ({ ...version, storage: false }));
  return { ...next, spec: { ...next.spec, versions: [...next.spec.versions, ...kept] } };
}

/** Finds what objects of removed versions would lose in the new storage version, unless a webhook converts them. */
export function findMigrationChanges(
  old: CustomResourceDefinition,
  next: CustomResourceDefinition,
  options: EvolutionOptions,
): readonly DefinitionChange[] {
  if ([old, next].some(({ spec }) => spec.conversion?.strategy === 'Webhook')) return [];
  const storage = next.spec.versions.find((version) => version.storage)!;
  return leavingVersions(old, next).flatMap(({ name, schema }) => {
    const as = (version: string, from: CustomResourceVersion['schema']): CustomResourceDefinition => ({
      ...next,
      spec: { ...next.spec, versions: [{ name: version, served: true, storage: true, schema: from }] },
    });
    const place = `${name} to ${storage.name}`;
    const changes = findDefinitionChanges(as(place, schema), as(place, storage.schema), options);
    return changes.filter(({ severity }) => severity === 'error');
  });
}

function leavingVersions(old: CustomResourceDefinition, next: CustomResourceDefinition): CustomResourceVersion[] {
  const stored = storedVersionsOf(old);
  return old.spec.versions.filter(
    ({ name }) => stored.includes(name) && !next.spec.versions.some((version) => version.name === name),
  );
}
