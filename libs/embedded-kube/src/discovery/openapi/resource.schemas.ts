import { META_SCHEMAS } from './meta.schemas.js';
import type { OpenApiDialect, OpenApiPart, OpenApiResource } from './open-api.dialects.js';
import { COMMON_DESCRIPTIONS as TEXTS } from './common.descriptions.js';
import type { TypedSchemas } from './typed.schemas.js';

/** The name of a kind's schema: `dev.kopf.v1.KopfExample`. */
export function schemaName({ resource, custom }: OpenApiResource, kind: string): string {
  const { group, version } = resource;
  const scope = custom ? group.split('.').reverse().join('.') : `io.k8s.api.${group.split('.')[0] || 'core'}`;
  return `${scope}.${version}.${kind}`;
}

/** The schemas of a resource's objects and of their lists. */
export function resourceSchemas(
  described: OpenApiResource,
  dialect: OpenApiDialect,
  types: TypedSchemas,
): Record<string, OpenApiPart> {
  const { resource, listKind } = described;
  const name = schemaName(described, resource.kind);
  const schemas: Record<string, OpenApiPart> = { [name]: objectSchema(described, dialect, types) };
  if (resource.verbs.includes('list')) {
    schemas[schemaName(described, listKind)] = {
      description: `${listKind} is a list of ${resource.kind}`,
      type: 'object',
      required: ['items'],
      properties: {
        apiVersion: { description: TEXTS.apiVersion, type: 'string' },
        items: { description: TEXTS.items(resource.plural), type: 'array', items: dialect.reference(name) },
        kind: { description: TEXTS.kind, type: 'string' },
        metadata: dialect.describedReference(META_SCHEMAS.listMeta, TEXTS.listMetadata),
      },
      'x-kubernetes-group-version-kind': [groupVersionKind(described, listKind)],
    };
  }
  return schemas;
}

/** A kind as the extension of operations and schemas names it. */
export function groupVersionKind({ resource }: OpenApiResource, kind = resource.kind): OpenApiPart {
  return { group: resource.group, kind, version: resource.version };
}

function objectSchema(described: OpenApiResource, dialect: OpenApiDialect, types: TypedSchemas): OpenApiPart {
  const { custom, resource } = described;
  const given = dialect.customSchema((described.schema ?? {}) as OpenApiPart);
  if (!given) return { type: 'object', 'x-kubernetes-group-version-kind': [groupVersionKind(described)] };
  const { properties, ...schema } = given as { properties?: OpenApiPart };
  const known = custom ? properties : types.propertiesOf(resource);
  return {
    ...(!custom && !known && { 'x-kubernetes-preserve-unknown-fields': true }),
    type: 'object',
    ...schema,
    properties: {
      ...known,
      apiVersion: { description: TEXTS.apiVersion, type: 'string' },
      kind: { description: TEXTS.kind, type: 'string' },
      metadata: dialect.describedReference(META_SCHEMAS.objectMeta, TEXTS.metadata),
    },
    'x-kubernetes-group-version-kind': [groupVersionKind(described)],
  };
}
