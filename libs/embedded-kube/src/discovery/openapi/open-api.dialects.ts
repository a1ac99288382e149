import type { OpenApiDialect } from './open-api.types.js';

const JSON_TYPE = 'application/json';

/** OpenAPI 3.0, as `/openapi/v3` answers it. */
export const OPEN_API_V3: OpenApiDialect = {
  reference: (schemaName) => ({ $ref: `#/components/schemas/${schemaName}` }),
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
};

/** Swagger 2.0, as `/openapi/v2` answers it. */
export const OPEN_API_V2: OpenApiDialect = {
  reference: (schemaName) => ({ $ref: `#/definitions/${schemaName}` }),
  queryParameter: (name, type) => ({ name, in: 'query', type, uniqueItems: true }),
  pathParameter: (name) => ({ name, in: 'path', required: true, type: 'string', uniqueItems: true }),
  body: (mediaTypes, schemaName, parameters) => {
    const body = { name: 'body', in: 'body', required: true, schema: OPEN_API_V2.reference(schemaName) };
    return { consumes: mediaTypes, parameters: [body, ...parameters] };
  },
  response: (schemaName) => ({ description: 'OK', schema: OPEN_API_V2.reference(schemaName) }),
};
