import type { CustomResourceDefinition, CustomResourceVersion } from '../definition.interface.js';
import { compareVersions as compareNames } from '../version.priority.js';
import { FIELD_CHANGES } from './field.changes.js';
import { listSchemaFields, parentOf } from './schema.fields.js';

/** A change of a CRD that can break stored objects or clients, or a field that is against a convention. */
export interface DefinitionChange {
  /** The name of the rule: `existingFieldRemoval`, `maximum`, `NoBools`. */
  readonly rule: string;
  /** The version and the field: `v1.spec.size`; `v1 to v2.spec.size` of two versions that are served at the same time. */
  readonly path: string;
  readonly message: string;
  /** The severity; a change with `error` is rejected. */
  readonly severity: 'error' | 'warning';
}

/** Compares the schemas of two versions, or of two states of one. */
export function findSchemaChanges(
  old: CustomResourceVersion,
  next: CustomResourceVersion,
  ratcheting: boolean,
  name = next.name,
): DefinitionChange[] {
  const before = listSchemaFields(old.schema.openAPIV3Schema);
  const after = listSchemaFields(next.schema.openAPIV3Schema);
  return [...before].flatMap(([path, field]): DefinitionChange[] => {
    const place = `${name}${path}`;
    const kept = after.get(path);
    if (!kept) return isGone(path, after) ? [removal(place)] : [];
    return Object.entries(FIELD_CHANGES).flatMap(([rule, { find, isRatcheted, isWarning }]): DefinitionChange[] => {
      const found = find(field, kept);
      if (found === undefined) return [];
      const severity = isWarning || (ratcheting && isRatcheted) ? 'warning' : 'error';
      return [{ rule, path: place, message: `${rule} ${found}`, severity }];
    });
  });
}

/**
 * Compares the versions of one CRD that are served at the same time, each with all newer ones: without a conversion webhook, the API server
 * sends objects of one version to clients of the other, which must understand them.
 *
 * @param old the CRD before; changes that it has already are not reported again.
 */
export function compareServedVersions(
  old: CustomResourceDefinition,
  next: CustomResourceDefinition,
): readonly DefinitionChange[] {
  if (isConverted(old) || isConverted(next)) return [];
  const textOf = ({ path, message }: DefinitionChange): string => `${path} ${message}`;
  const known = new Set(findPairChanges(old).map(textOf));
  return findPairChanges(next).filter((change) => !known.has(textOf(change)));
}

function findPairChanges({ spec: { versions } }: CustomResourceDefinition): DefinitionChange[] {
  const served = versions.filter((version) => version.served).sort((a, b) => compareNames(b.name, a.name));
  return served.flatMap((older, index) =>
    served
      .slice(index + 1)
      .flatMap((newer) => findSchemaChanges(older, newer, false, `${older.name} to ${newer.name}`))
      .filter(({ rule }) => rule !== 'description'),
  );
}

function isConverted({ spec }: CustomResourceDefinition): boolean {
  return spec.conversion?.strategy === 'Webhook';
}

function removal(path: string): DefinitionChange {
  const message = 'the field is gone, so that clients can neither read nor write it, and its values are removed';
  return { rule: 'existingFieldRemoval', path, message, severity: 'error' };
}

/**
 * Checks whether the removal of a field is reported here: its whole object, list, or map is still there. Otherwise, the removal of its
 * parent is reported.
 */
function isGone(path: string, after: ReadonlyMap<string, unknown>): boolean {
  const parent = parentOf(path);
  return parent !== undefined && after.has(parent);
}
