import { isMapping, jsonEqual, mapping } from '../common/json.values.js';
import { type FieldError, invalidField, requiredField, unsupportedField } from '../errors/field.error.js';
import type { Draft, KubeObject } from '../resources/kube-object.js';
import { label1035, type NameRule, subdomain } from '../resources/name.rules.js';
import { validateApproval } from './validation/api.approval.js';
import { validateConversion } from './validation/conversion.validator.js';
import { validateVersionSchema } from './validation/schema.checker.js';
import { asSchema, type RawSchema } from './validation/schema.nodes.js';
import {
  validateColumns,
  validateDeprecation,
  validateSelectableFields,
  validateSubresources,
} from './validation/version.parts.validator.js';

type Fields = Readonly<Record<string, unknown>>;

/** The parts of versions that the real server takes for the definition's own where all versions have the same. */
const SHARED_PARTS = ['schema', 'subresources', 'additionalPrinterColumns', 'selectableFields'] as const;

type SharedPart = (typeof SHARED_PARTS)[number];

/** Checks a definition, and what may not change in it. */
export function validateDefinition(definition: Draft, previous: KubeObject | undefined): FieldError[] {
  const spec = mapping(definition['spec']);
  const old = previous && mapping(previous['spec']);
  const errors: FieldError[] = [];
  if (!previous && definition.metadata.name !== `${text(mapping(spec['names'])['plural'])}.${text(spec['group'])}`) {
    errors.push(invalidField('metadata.name', definition.metadata.name, 'must be spec.names.plural+"."+spec.group'));
  }
  errors.push(...checkSpec(spec, old));
  if (old) errors.push(...checkImmutable(spec, old, previous));
  errors.push(...checkStoredVersions(mapping(definition['status'])['storedVersions'], versionsOf(spec)));
  errors.push(...validateApproval(spec['group'], definition.metadata.annotations, previous));
  if (spec['preserveUnknownFields'] === true && old?.['preserveUnknownFields'] !== true) {
    const rule =
      'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead';
    errors.push(invalidField('spec.preserveUnknownFields', true, rule));
  }
  return errors;
}

function checkSpec(spec: Fields, old: Fields | undefined): FieldError[] {
  const versions = versionsOf(spec);
  const shared = sharedParts(versions);
  const errors = [...checkGroup(spec['group']), ...checkScope(spec['scope'])];
  versions.forEach((version, index) => {
    if (schemaOf(version)) return;
    errors.push(requiredField(`spec.versions[${index}].schema.openAPIV3Schema`));
  });
  versions.forEach((version, index) => {
    const path = `spec.versions[${index}]`;
    errors.push(...checkLabel(version['name'], `${path}.name`), ...validateDeprecation(version, path));
    errors.push(...checkParts(version, path, `${path}.schema`, shared, false, old));
  });
  errors.push(...checkVersionSet(spec, versions));
  errors.push(...checkNames(mapping(spec['names']), 'spec.names'));
  const [first] = versions;
  if (first) errors.push(...checkParts(first, 'spec', 'spec.validation', shared, true, old));
  const { conversion } = spec;
  if (isMapping(conversion) && conversion['strategy'] !== 'None' && spec['preserveUnknownFields'] === true) {
    const rule = 'must be None if spec.preserveUnknownFields is true';
    errors.push(invalidField('spec.conversion.strategy', conversion['strategy'], rule));
  }
  return [...errors, ...validateConversion(conversion, 'spec.conversion')];
}

/** Checks the parts of a version that are, or are not, shared by all. What an update leaves as it is was checked before. */
function checkParts(
  version: Fields,
  path: string,
  schemaPath: string,
  shared: ReadonlySet<SharedPart>,
  areShared: boolean,
  old: Fields | undefined,
): FieldError[] {
  const has = (part: SharedPart): boolean => shared.has(part) === areShared;
  const schema = schemaOf(version);
  const errors: FieldError[] = [];
  const before = old && versionsOf(old).find(({ name }) => name === version['name']);
  const isUnchanged = before !== undefined && jsonEqual(schemaOf(before), schema);
  if (has('schema') && schema && !isUnchanged) {
    const hasStatus = isMapping(mapping(version['subresources'])['status']);
    errors.push(...validateVersionSchema(schema, `${schemaPath}.openAPIV3Schema`, hasStatus));
  }
  if (has('subresources')) errors.push(...validateSubresources(version['subresources'], `${path}.subresources`));
  if (has('additionalPrinterColumns')) {
    errors.push(...validateColumns(version['additionalPrinterColumns'], `${path}.additionalPrinterColumns`));
  }
  if (has('selectableFields')) {
    errors.push(...validateSelectableFields(version['selectableFields'], schema, `${path}.selectableFields`));
  }
  return errors;
}

function sharedParts(versions: readonly Fields[]): Set<SharedPart> {
  const [first] = versions;
  return new Set(SHARED_PARTS.filter((part) => versions.every((version) => jsonEqual(version[part], first?.[part]))));
}

function checkGroup(group: unknown): FieldError[] {
  if (typeof group !== 'string' || group === '') return [requiredField('spec.group')];
  const problems = subdomain(group);
  if (problems.length > 0) return [invalidField('spec.group', group, problems.join(','))];
  return group.includes('.') ? [] : [invalidField('spec.group', group, 'should be a domain with at least one dot')];
}

function checkScope(scope: unknown): FieldError[] {
  if (!scope) return [requiredField('spec.scope')];
  if (scope === 'Cluster' || scope === 'Namespaced') return [];
  return [unsupportedField('spec.scope', scope, ['Cluster', 'Namespaced'])];
}

function checkVersionSet(spec: Fields, versions: readonly Fields[]): FieldError[] {
  const names = new Set(versions.map(({ name }) => name));
  const rules: string[] = [];
  if (names.size < versions.length) rules.push('must contain unique version names');
  if (versions.filter(({ storage }) => storage === true).length !== 1) {
    rules.push('must have exactly one version marked as storage version');
  }
  const shown = Array.isArray(spec['versions']) ? versions.map((version) => shownVersion(version, versions)) : null;
  const errors = rules.map((rule) => invalidField('spec.versions', shown, rule));
  // The first version stands for the definition in older forms of definitions, where it is checked once more.
  return versions[0] ? [...errors, ...checkLabel(versions[0]['name'], 'spec.version')] : errors;
}

/** Returns a version as the real server's errors show it: with the names of Go's type, without what all versions share. */
function shownVersion(version: Fields, versions: readonly Fields[]): object {
  const shared = sharedParts(versions);
  const part = (name: SharedPart): unknown => (shared.has(name) ? null : (version[name] ?? null));
  return {
    Name: version['name'],
    Served: version['served'] === true,
    Storage: version['storage'] === true,
    Deprecated: version['deprecated'] === true,
    DeprecationWarning: version['deprecationWarning'] ?? null,
    Schema: part('schema'),
    Subresources: part('subresources'),
    AdditionalPrinterColumns: part('additionalPrinterColumns'),
    SelectableFields: part('selectableFields'),
  };
}

function checkNames(names: Fields, path: string): FieldError[] {
  const required = ['plural', 'singular', 'kind', 'listKind'].filter((name) => !names[name]);
  const mixed: NameRule = (name) => {
    const problems = label1035(name.toLowerCase());
    return problems.length > 0 ? [`may have mixed case, but should otherwise match: ${problems.join(',')}`] : [];
  };
  const listed = (name: string): FieldError[] => {
    const values = Array.isArray(names[name]) ? (names[name] as unknown[]) : [];
    return values.flatMap((value, index) => checkLabel(value, `${path}.${name}[${index}]`));
  };
  const isAmbiguous = names['kind'] && names['kind'] === names['listKind'];
  return [
    ...required.map((name) => requiredField(`${path}.${name}`)),
    ...checkText(names['plural'], `${path}.plural`, label1035),
    ...checkText(names['singular'], `${path}.singular`, label1035),
    ...checkText(names['kind'], `${path}.kind`, mixed),
    ...checkText(names['listKind'], `${path}.listKind`, mixed),
    ...listed('shortNames'),
    ...(isAmbiguous
      ? [invalidField(`${path}.listKind`, names['listKind'], 'kind and listKind may not be the same')]
      : []),
    ...listed('categories'),
  ];
}

function checkStoredVersions(stored: unknown, versions: readonly Fields[]): FieldError[] {
  const path = 'status.storedVersions';
  if (!Array.isArray(stored) || stored.length === 0) {
    return [invalidField(path, null, 'must have at least one stored version')];
  }
  const errors = versions
    .filter(({ storage, name }) => storage === true && !stored.includes(name))
    .map(({ name }) => invalidField(path, stored, `must have the storage version ${text(name)}`));
  stored.forEach((name: unknown, index) => {
    if (versions.some((version) => version['name'] === name)) return;
    const shown = String(name);
    const rule = `missing from spec.versions; ${shown} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${shown} and removes ${shown} from status.storedVersions`;
    errors.push(invalidField(`${path}[${index}]`, name, rule));
  });
  return errors;
}

function checkImmutable(spec: Fields, old: Fields, previous: KubeObject | undefined): FieldError[] {
  const conditions = mapping(previous?.['status'])['conditions'];
  const isEstablished =
    Array.isArray(conditions) &&
    conditions.some((each: unknown) => mapping(each)['type'] === 'Established' && mapping(each)['status'] === 'True');
  const fields = [...(isEstablished ? ['scope', 'names.kind'] : []), 'group', 'names.plural'];
  return fields
    .filter((field) => !jsonEqual(fieldOf(spec, field), fieldOf(old, field)))
    .map((field) => invalidField(`spec.${field}`, fieldOf(spec, field), 'field is immutable'));
}

function fieldOf(spec: Fields, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => mapping(value)[name], spec);
}

function checkLabel(value: unknown, path: string): FieldError[] {
  const problems = label1035(text(value));
  return problems.length > 0 ? [invalidField(path, text(value), problems.join(','))] : [];
}

function checkText(value: unknown, path: string, rule: NameRule): FieldError[] {
  if (typeof value !== 'string' || value === '') return [];
  const problems = rule(value);
  return problems.length > 0 ? [invalidField(path, value, problems.join(','))] : [];
}

function versionsOf(spec: Fields): Fields[] {
  return Array.isArray(spec['versions']) ? spec['versions'].map((version: unknown) => mapping(version)) : [];
}

function schemaOf(version: Fields): RawSchema | undefined {
  return asSchema(mapping(version['schema'])['openAPIV3Schema']);
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
