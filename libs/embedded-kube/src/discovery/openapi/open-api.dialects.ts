import type { ApiResource } from '../../resources/api-resource.js';
import { swaggerSchema, type OpenApiPart } from './swagger.schema.js';

/** A resource that the documents describe. */
export interface OpenApiResource {
  readonly resource: ApiResource;
  readonly listKind: string;
  /** Whether a CRD defines the resource. */
  readonly custom: boolean;
  /** The `openAPIV3Schema` of a custom resource's version. */
  readonly schema?: object;
}

/** Writes what differs between versions 2 and 3 of OpenAPI in one of them. */
export interface OpenApiDialect {
  reference(schemaName: string): OpenApiPart;
  /** Makes a reference with a description of the field, which is more specific than that of the schema. */
  describedReference(description: string, schemaName: string): OpenApiPart;
  queryParameter(name: string, type: string): OpenApiPart;
  pathParameter(name: string): OpenApiPart;
  /** Returns the body of a request: its media types and its schema, as members of the operation. */
  body(mediaTypes: readonly string[], schemaName: string, parameters: readonly OpenApiPart[]): OpenApiPart;
  response(schemaName: string): OpenApiPart;
  /** Returns the schema of a custom resource's object; `undefined` if no fields may be shown. */
  customSchema(schema: OpenApiPart): OpenApiPart | undefined;
}

const JSON_TYPE = 'application/json';

/** OpenAPI 3.0, as `/openapi/v3` answers it. */
export const OPEN_API_V3: OpenApiDialect = {
  reference: (schemaName) => ({ $ref: `#/components/schemas/${schemaName}` }),
  describedReference: (description, schemaName) => ({ description, allOf: [OPEN_API_V3.reference(schemaName)] }),
  queryParameter: (name, type) => ({ name, in: 'query', schema: { type, uniqueItems: true } }),
  pathParameter: (name) => ({ name, in: 'path', required: true, schema: { type: 'string', uniqueItems: true } }),
  body: (mediaTypes, schemaName, parameters) => {
    const schema = OPEN_API_V3.reference(schemaName);
    const content = Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, { schema }]));
    return { parameters, requestBody: { content, required: true } };
  },
  response: (schemaName) => ({
    description: 'OK',
    content: { [JSON_TYPE]: { schema: OPEN_API_V3.reference(schemaName) } },
  }),
  customSchema: (schema) => schema,
};

/** Swagger 2.0, as `/openapi/v2` answers it. */
export const OPEN_API_V2: OpenApiDialect = {
  reference: (schemaName) => ({ $ref: `#/definitions/${schemaName}` }),
  describedReference: (description, schemaName) => ({ description, ...OPEN_API_V2.reference(schemaName) }),
  queryParameter: (name, type) => ({ name, in: 'query', type, uniqueItems: true }),
  pathParameter: (name) => ({ name, in: 'path', required: true, type: 'string', uniqueItems: true }),
  body: (mediaTypes, schemaName, parameters) => {
    const body = { name: 'body', in: 'body', required: true, schema: OPEN_API_V2.reference(schemaName) };
    return { consumes: mediaTypes, parameters: [body, ...parameters] };
  },
  response: (schemaName) => ({ description: 'OK', schema: OPEN_API_V2.reference(schemaName) }),
  // kubectl would take all fields but the named ones for unknown.
  customSchema: (schema) =>
    schema['x-kubernetes-preserve-unknown-fields'] === true ? undefined : swaggerSchema(schema),
};
