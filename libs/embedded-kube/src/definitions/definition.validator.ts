import { type FieldError, invalidField, requiredField, unsupportedField } from '../errors/field.error.js';
import type { KubeObject, Draft } from '../resources/kube-object.js';
import { label, label1035, type NameRule, subdomain } from '../resources/name.rules.js';
import { jsonEqual, isMapping, mapping } from '../common/json.values.js';

/** Checks a definition, and what may not change in it. */
export function validateDefinition(definition: Draft, previous: KubeObject | undefined): FieldError[] {
  const spec = mapping(definition['spec']);
  const names = mapping(spec['names']);
  const errors: FieldError[] = [];
  if (definition.metadata.name !== `${text(names['plural'])}.${text(spec['group'])}`) {
    errors.push(invalidField('metadata.name', definition.metadata.name, 'must be spec.names.plural+"."+spec.group'));
  }
  errors.push(...checkText(spec['group'], 'spec.group', subdomain));
  errors.push(...checkScope(spec['scope']));
  errors.push(...checkVersions(spec['versions']));
  errors.push(...checkNames(names));
  if (storageVersionCount(spec['versions']) === 0) {
    errors.push(invalidField('status.storedVersions', null, 'must have at least one stored version'));
  }
  if (previous) errors.push(...checkImmutable(spec, mapping(previous['spec'])));
  return errors;
}

function checkScope(scope: unknown): FieldError[] {
  if (!scope) return [requiredField('spec.scope')];
  return scope === 'Cluster' || scope === 'Namespaced'
    ? []
    : [unsupportedField('spec.scope', scope, ['Cluster', 'Namespaced'])];
}

function checkVersions(versions: unknown): FieldError[] {
  const rule = 'must have exactly one version marked as storage version';
  const errors = storageVersionCount(versions) === 1 ? [] : [invalidField('spec.versions', versions ?? null, rule)];
  if (!Array.isArray(versions)) return errors;
  const seen = new Set<unknown>();
  versions.forEach((each: unknown, index) => {
    const version = mapping(each);
    const path = `spec.versions[${index}]`;
    errors.push(...checkText(version['name'], `${path}.name`, label1035));
    if (seen.has(version['name']))
      errors.push(invalidField('spec.versions', versions, 'must contain unique version names'));
    seen.add(version['name']);
    const schema = mapping(version['schema'])['openAPIV3Schema'];
    if (!isMapping(schema)) errors.push(requiredField(`${path}.schema.openAPIV3Schema`, 'schemas are required'));
    else errors.push(...checkRootSchema(schema, `${path}.schema.openAPIV3Schema`));
  });
  return errors;
}

function checkRootSchema(schema: Readonly<Record<string, unknown>>, path: string): FieldError[] {
  if (!schema['type']) return [requiredField(`${path}.type`, 'must not be empty at the root')];
  return schema['type'] === 'object'
    ? []
    : [invalidField(`${path}.type`, schema['type'], 'must be object at the root')];
}

function checkNames(names: Readonly<Record<string, unknown>>): FieldError[] {
  const shortNames = Array.isArray(names['shortNames']) ? names['shortNames'] : [];
  return [
    ...checkText(names['plural'], 'spec.names.plural', label1035),
    ...checkText(names['singular'], 'spec.names.singular', label1035),
    ...checkText(names['kind'], 'spec.names.kind', (kind) => label1035(kind.toLowerCase())),
    ...checkText(names['listKind'], 'spec.names.listKind', (kind) => label1035(kind.toLowerCase())),
    ...shortNames.flatMap((name: unknown, index) => checkText(name, `spec.names.shortNames[${index}]`, label)),
  ];
}

function checkImmutable(
  spec: Readonly<Record<string, unknown>>,
  previous: Readonly<Record<string, unknown>>,
): FieldError[] {
  return ['group', 'scope']
    .filter((field) => !jsonEqual(spec[field], previous[field]))
    .map((field) => invalidField(`spec.${field}`, spec[field], 'field is immutable'));
}

function checkText(value: unknown, path: string, rule: NameRule): FieldError[] {
  if (typeof value !== 'string' || value === '') return [requiredField(path)];
  return rule(value).map((problem) => invalidField(path, value, problem));
}

function storageVersionCount(versions: unknown): number {
  return Array.isArray(versions) ? versions.filter((version) => mapping(version)['storage'] === true).length : 0;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
