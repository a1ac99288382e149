import { diff } from '../objects/diffs.js';
import type { CustomResourceDefinition, CustomResourceVersion } from './definition.interface.js';

/**
 * Finds the paths at which the CRD of the cluster differs from that of the classes; what only the cluster has, such as the conversion and
 * further versions, is ignored.
 */
export function findDefinitionDifferences(
  stored: CustomResourceDefinition,
  wanted: CustomResourceDefinition,
): readonly string[] {
  const { scope, names } = wanted.spec;
  const shared = diffPaths({ scope: stored.spec.scope, names: pick(stored.spec.names, names) }, { scope, names });
  const versions = wanted.spec.versions.flatMap((version) => {
    const found = stored.spec.versions.find(({ name }) => name === version.name);
    if (!found) return [`spec.versions: ${version.name} is missing`];
    return diffPaths(normalized(found), normalized(version)).map((path) => `${version.name}: ${path}`);
  });
  return [...shared.map((path) => `spec.${path}`), ...versions];
}

/** Checks whether the CRD of the cluster has versions that the classes do not have. */
export function hasOtherVersions(stored: CustomResourceDefinition, wanted: CustomResourceDefinition): boolean {
  return stored.spec.versions.some(({ name }) => !wanted.spec.versions.some((version) => version.name === name));
}

function diffPaths(old: object, next: object): string[] {
  return diff(old, next).map(([, path]) => path.join('.'));
}

function pick(names: object, wanted: object): object {
  return Object.fromEntries(Object.entries(names).filter(([name]) => name in wanted));
}

/** Removes what the API server removes when it stores a version. */
function normalized({ schema, additionalPrinterColumns = [], ...rest }: CustomResourceVersion): object {
  const columns = additionalPrinterColumns.map(({ priority, ...column }) =>
    priority ? { ...column, priority } : column,
  );
  return { ...rest, additionalPrinterColumns: columns, schema: schema.openAPIV3Schema };
}
