import type { CustomResourceDefinition, CustomResourceVersion } from '../definition.interface.js';
import { STYLE_RULES } from './style.rules.js';
import { compareServedVersions, findSchemaChanges, type DefinitionChange } from './version.changes.js';

/** The options of the evaluation of changes. */
export interface EvolutionOptions {
  /** The names of rules to leave out: `['enum']`. */
  readonly allow?: readonly string[];
  /**
   * Whether narrower limits are warnings, as the API server accepts invalid values as long as they are not changed, from Kubernetes 1.33
   * on. @default false
   */
  readonly ratcheting?: boolean;
  /**
   * Whether fields against conventions are reported, too, as warnings: the conventions of OpenShift's crd-schema-checker. @default false
   */
  readonly style?: boolean;
}

/**
 * Compares a CRD with the one that it replaces, by the rules of crdify and of OpenShift's crd-schema-checker.
 *
 * @param old as the cluster has it, with its status; without one, only conventions are checked.
 * @example
 * for (const { path, message } of findDefinitionChanges(old, customResourceDefinition(Disk))) console.log(path, message);
 */
export function findDefinitionChanges(
  old: CustomResourceDefinition | undefined,
  next: CustomResourceDefinition,
  { allow = [], ratcheting = false, style = false }: EvolutionOptions = {},
): readonly DefinitionChange[] {
  const changes = [
    ...(old ? [...compareScope(old, next), ...compareStoredVersions(old, next)] : []),
    ...next.spec.versions.flatMap((version) => {
      const before = old?.spec.versions.find(({ name }) => name === version.name);
      return [
        ...(before ? findSchemaChanges(before, version, ratcheting) : []),
        ...(style ? findStyleViolations(before, version) : []),
      ];
    }),
    ...(old ? [...findRemovedVersions(old, next), ...compareServedVersions(old, next)] : []),
  ];
  return changes.filter(({ rule }) => !allow.includes(rule));
}

function compareScope(old: CustomResourceDefinition, next: CustomResourceDefinition): DefinitionChange[] {
  if (old.spec.scope === next.spec.scope) return [];
  const message = `the scope is ${next.spec.scope} now, and was ${old.spec.scope}`;
  return [{ rule: 'scope', path: 'spec.scope', message, severity: 'error' }];
}

function compareStoredVersions(old: CustomResourceDefinition, next: CustomResourceDefinition): DefinitionChange[] {
  return storedVersionsOf(old)
    .filter((name) => !next.spec.versions.some((version) => version.name === name))
    .map((name) => {
      const message = 'the version is gone, but objects can still be stored in it; migrate them first';
      return { rule: 'storedVersionRemoval', path: name, message, severity: 'error' };
    });
}

/** Finds versions that are not served any more: their clients get nothing but errors. */
function findRemovedVersions(old: CustomResourceDefinition, next: CustomResourceDefinition): DefinitionChange[] {
  const stored = storedVersionsOf(old);
  const isServed = (name: string): boolean =>
    next.spec.versions.some((version) => version.name === name && version.served);
  return old.spec.versions
    .filter(({ name, served }) => served && !isServed(name) && !stored.includes(name))
    .map(({ name }) => {
      const message = 'the version is not served any more, so that clients that use it fail';
      return { rule: 'servedVersionRemoval', path: name, message, severity: 'warning' };
    });
}

function findStyleViolations(old: CustomResourceVersion | undefined, next: CustomResourceVersion): DefinitionChange[] {
  return Object.entries(STYLE_RULES).flatMap(([rule, find]) => {
    const known = new Set(old && find(old).map(({ path }) => path));
    return find(next)
      .filter(({ path }) => !known.has(path))
      .map(({ path, text }) => ({ rule, path: `${next.name}${path}`, message: text, severity: 'warning' as const }));
  });
}

/** Lists the versions in which objects of a CRD can be stored. */
export function storedVersionsOf(definition: CustomResourceDefinition): readonly string[] {
  const { storedVersions } = (definition.status ?? {}) as { readonly storedVersions?: readonly string[] };
  return storedVersions ?? definition.spec.versions.filter(({ storage }) => storage).map(({ name }) => name);
}
