import type { ObjectClass } from '../resources/object-class.js';
import { customResourceOf, type DeclaredVersion } from './custom-resource.decorator.js';
import type { SchemaSource } from './custom-resource.options.js';
import type { CustomResourceDefinition, CustomResourceVersion } from './definition.interface.js';
import { checkDeclarations } from './declaration.rules.js';
import { createClassSchema } from './schema/class.schema.js';
import { convertJsonSchema } from './schema/json-schema.conversion.js';
import { propertiesOf } from './schema/property.rules.js';
import { SchemaErrors } from './schema/schema.errors.js';
import type { SchemaNode } from './schema/schema.node.js';
import { isStandardJsonSchema } from './schema/standard.schema.js';
import { compareVersions } from './version.priority.js';

/** The fields that the API server defines for all objects. */
const SYSTEM_FIELDS = ['apiVersion', 'kind', 'metadata'];

/**
 * Makes the CRD of a class with `@CustomResource()`, or of several ones that are versions of the same resource. The result depends on the
 * classes only; neither a cluster nor files are read.
 *
 * @example
 * const definition = customResourceDefinition(Disk);
 * writeFileSync('crd.yaml', dump(definition));
 *
 * @throws KopfBootstrapError that names the class, the property, and the decorator of everything that a CRD cannot express, with what to
 * do.
 */
export function customResourceDefinition(...types: readonly [ObjectClass, ...ObjectClass[]]): CustomResourceDefinition {
  const errors = new SchemaErrors();
  const versions = types
    .map((type): DeclaredVersion => ({ type, declaration: customResourceOf(type) }))
    .sort((one, other) => compareVersions(one.declaration.version, other.declaration.version));
  const stored = versions.find(({ declaration }) => declaration.storage) ?? versions[0];
  checkDeclarations(versions, errors);
  const { group, scope, kind, listKind, plural, singular } = stored.declaration;
  const { shortNames, categories, labels, annotations } = stored.declaration;
  const definition: CustomResourceDefinition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}`, ...(labels && { labels }), ...(annotations && { annotations }) },
    spec: {
      group,
      scope,
      names: {
        kind,
        listKind,
        plural,
        singular,
        ...(shortNames?.length && { shortNames: [...shortNames] }),
        ...(categories?.length && { categories: [...categories] }),
      },
      versions: versions.map((version) => createVersion(version, version === stored, errors)),
    },
  };
  errors.throwAny();
  return definition;
}

/**
 * Creates the CRDs of classes with `@CustomResource()`: one of all versions of each resource, in the order of their names.
 *
 * @throws KopfBootstrapError as {@link customResourceDefinition} does.
 */
export function customResourceDefinitions(types: Iterable<ObjectClass>): CustomResourceDefinition[] {
  const resources = new Map<string, ObjectClass[]>();
  for (const type of new Set(types)) {
    const { group, plural } = customResourceOf(type);
    const name = `${plural}.${group}`;
    resources.set(name, [...(resources.get(name) ?? []), type]);
  }
  const names = [...resources.keys()].sort();
  return names.map((name) => customResourceDefinition(...(resources.get(name) as [ObjectClass])));
}

function createVersion(version: DeclaredVersion, storage: boolean, errors: SchemaErrors): CustomResourceVersion {
  const { declaration } = version;
  const { printerColumns, selectableFields, subresources = {}, deprecated, served = true } = declaration;
  const { status, scale } = subresources;
  return {
    name: declaration.version,
    served,
    storage,
    ...(deprecated && { deprecated: true }),
    ...(typeof deprecated === 'string' && { deprecationWarning: deprecated }),
    ...(printerColumns?.length && {
      additionalPrinterColumns: printerColumns.map(({ name, type = 'string', ...column }) => ({
        name,
        type,
        ...column,
      })),
    }),
    ...(selectableFields?.length && { selectableFields: selectableFields.map((jsonPath) => ({ jsonPath })) }),
    ...((status || scale) && {
      subresources: { ...(status && { status: {} }), ...(scale && { scale: { ...scale } }) },
    }),
    schema: { openAPIV3Schema: createRootSchema(version, errors) },
  };
}

/** Creates the schema of whole objects. A spec with required fields is required itself, as nothing would be required otherwise. */
function createRootSchema({ type, declaration }: DeclaredVersion, errors: SchemaErrors): SchemaNode {
  const { spec, status, preserveUnknownStatus = true } = declaration;
  const given = Object.entries({ spec, status }).filter(([, source]) => source !== undefined);
  const ignored = [...SYSTEM_FIELDS, ...given.map(([name]) => name)];
  const root = createClassSchema(type, errors, [], ignored);
  const properties: Record<string, SchemaNode> = {};
  for (const [name, source] of given) properties[name] = createPart(source!, `${type.name}.${name}`, errors);
  Object.assign(properties, root.properties);
  const required = (root.required ?? []).filter((name) => name !== 'spec' && name !== 'status');
  const isGiven = isOptionalSpec(type) || properties.spec?.default !== undefined;
  if (properties.spec?.required?.length && !isGiven) required.unshift('spec');
  if (preserveUnknownStatus) {
    properties.status = { ...(properties.status ?? { type: 'object' }), 'x-kubernetes-preserve-unknown-fields': true };
  }
  const { required: _required, properties: _properties, 'x-kubernetes-validations': rules, ...rest } = root;
  return {
    ...rest,
    ...(required.length > 0 && { required }),
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(rules && { 'x-kubernetes-validations': rules }),
  };
}

function createPart(source: SchemaSource, place: string, errors: SchemaErrors): SchemaNode {
  if (isStandardJsonSchema(source)) return convertJsonSchema(source, place, errors);
  return createClassSchema(source, errors);
}

function isOptionalSpec(type: ObjectClass): boolean {
  return propertiesOf(type).some(({ name, isOptional }) => name === 'spec' && isOptional);
}
