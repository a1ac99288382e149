import { META_SCHEMAS, META_TEXTS } from './meta.schemas.js';
import type { OpenApiDialect, OpenApiResource } from './open-api.dialects.js';
import type { OpenApiPart } from './swagger.schema.js';
import type { TypedSchemas } from './typed.schemas.js';

/** Returns the name of a kind's schema: `dev.kopf.v1.KopfExample`. */
export function schemaName({ resource, custom }: OpenApiResource, kind: string): string {
  const { group, version } = resource;
  const scope = custom ? group.split('.').reverse().join('.') : `io.k8s.api.${group.split('.')[0] || 'core'}`;
  return `${scope}.${version}.${kind}`;
}

/** Returns the schemas of a resource's objects and of their lists. */
export function resourceSchemas(
  served: OpenApiResource,
  dialect: OpenApiDialect,
  types: TypedSchemas,
): Record<string, OpenApiPart> {
  const { resource, listKind } = served;
  const name = schemaName(served, resource.kind);
  const schemas: Record<string, OpenApiPart> = { [name]: objectSchema(served, dialect, types) };
  if (resource.verbs.includes('list')) {
    schemas[schemaName(served, listKind)] = {
      description: `${listKind} is a list of ${resource.kind}`,
      type: 'object',
      required: ['items'],
      properties: {
        apiVersion: { description: META_TEXTS.apiVersion, type: 'string' },
        items: { description: META_TEXTS.items(resource.plural), type: 'array', items: dialect.reference(name) },
        kind: { description: META_TEXTS.kind, type: 'string' },
        metadata: dialect.describedReference(META_TEXTS.listMeta, META_SCHEMAS.listMeta),
      },
      'x-kubernetes-group-version-kind': [groupVersionKind(served, listKind)],
    };
  }
  return schemas;
}

/** Returns a kind as the extension of operations and schemas names it. */
export function groupVersionKind({ resource }: OpenApiResource, kind = resource.kind): OpenApiPart {
  return { group: resource.group, kind, version: resource.version };
}

function objectSchema(served: OpenApiResource, dialect: OpenApiDialect, types: TypedSchemas): OpenApiPart {
  const { custom, resource } = served;
  const given = dialect.customSchema((served.schema ?? {}) as OpenApiPart);
  if (!given) return { type: 'object', 'x-kubernetes-group-version-kind': [groupVersionKind(served)] };
  const { properties, ...schema } = given as { properties?: OpenApiPart };
  const known = custom ? properties : types.propertiesOf(resource);
  return {
    ...(!custom && !known && { 'x-kubernetes-preserve-unknown-fields': true }),
    type: 'object',
    ...schema,
    properties: {
      ...known,
      apiVersion: { description: META_TEXTS.apiVersion, type: 'string' },
      kind: { description: META_TEXTS.kind, type: 'string' },
      metadata: dialect.describedReference(META_TEXTS.objectMeta, META_SCHEMAS.objectMeta),
    },
    'x-kubernetes-group-version-kind': [groupVersionKind(served)],
  };
}
