import type { ApiResource } from '../../resources/api-resource.js';

/** A resource that the documents describe. */
export interface OpenApiResource {
  readonly resource: ApiResource;
  readonly listKind: string;
  /** Whether a CRD defines the resource. */
  readonly custom: boolean;
  /** The `openAPIV3Schema` of a custom resource's version. */
  readonly schema?: object;
}

/** A part of an OpenAPI document. */
export type OpenApiPart = Readonly<Record<string, unknown>>;

/** How one dialect of OpenAPI writes what differs between version 2 and 3. */
export interface OpenApiDialect {
  reference(schemaName: string): OpenApiPart;
  queryParameter(name: string, type: string): OpenApiPart;
  pathParameter(name: string): OpenApiPart;
  /** The body of a request: its media types and its schema, as members of the operation. */
  body(mediaTypes: readonly string[], schemaName: string, parameters: readonly OpenApiPart[]): OpenApiPart;
  response(schemaName: string): OpenApiPart;
}
