import { createHash } from 'node:crypto';
import { stringifyJson } from '../../common/exact-json.js';
import { metaSchemas } from './meta.schemas.js';
import {
  OPEN_API_V2,
  OPEN_API_V3,
  type OpenApiDialect,
  type OpenApiPart,
  type OpenApiResource,
} from './open-api.dialects.js';
import { resourcePaths } from './resource.paths.js';
import { TypedSchema } from '../../typed/typed.schema.js';
import { resourceSchemas } from './resource.schemas.js';
import { swaggerProtobuf } from './swagger.protobuf.js';
import { TypedSchemas } from './typed.schemas.js';

const INFO = { title: 'Kubernetes', version: '1.36' };

/** The OpenAPI documents of the resources that are served, made when they are asked for and kept until the resources change. */
export class OpenApiDocuments {
  private readonly documents = new Map<string, OpenApiPart>();
  private protobuf: Uint8Array | undefined;

  /**
   * @param resources gives the resources that are served now
   */
  constructor(private readonly resources: () => readonly OpenApiResource[]) {}

  /** Forgets the documents: the resources or their schemas have changed. */
  invalidate(): void {
    this.documents.clear();
    this.protobuf = undefined;
  }

  /** The answer to `/openapi/v3`: where each group's document is, with a hash of its content. */
  index(): OpenApiPart {
    return this.remember('', () => {
      const paths: Record<string, OpenApiPart> = {};
      for (const [path, resources] of this.groups()) {
        const hash = createHash('sha512').update(stringifyJson(resources)).digest('hex').toUpperCase();
        paths[path] = { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` };
      }
      return { paths };
    });
  }

  /**
   * The answer to `/openapi/v3/…`, undefined if nothing is served there.
   *
   * @param path the part behind the prefix: `api/v1`, `apis/apps/v1`
   */
  document(path: string): OpenApiPart | undefined {
    const resources = this.groups().get(path);
    if (!resources) return undefined;
    return this.remember(path, () => {
      const { paths, schemas } = describe(resources, OPEN_API_V3);
      return { openapi: '3.0.0', info: INFO, paths, components: { schemas } };
    });
  }

  /** The answer to `/openapi/v2`: all groups in one document. */
  swagger(): OpenApiPart {
    return this.remember('v2', () => {
      const { paths, schemas } = describe(this.resources(), OPEN_API_V2);
      return { swagger: '2.0', info: INFO, paths, definitions: schemas };
    });
  }

  /** The same in protobuf, which some clients want alone. */
  swaggerProtobuf(): Uint8Array {
    return (this.protobuf ??= swaggerProtobuf(this.swagger()));
  }

  private groups(): Map<string, OpenApiResource[]> {
    const groups = new Map<string, OpenApiResource[]>();
    for (const described of this.resources()) {
      const { group, version } = described.resource;
      const path = group ? `apis/${group}/${version}` : `api/${version}`;
      const resources = groups.get(path);
      if (resources) resources.push(described);
      else groups.set(path, [described]);
    }
    return groups;
  }

  private remember(key: string, make: () => OpenApiPart): OpenApiPart {
    let document = this.documents.get(key);
    if (!document) this.documents.set(key, (document = make()));
    return document;
  }
}

function describe(
  resources: readonly OpenApiResource[],
  dialect: OpenApiDialect,
): { paths: Record<string, OpenApiPart>; schemas: Record<string, OpenApiPart> } {
  const paths: Record<string, OpenApiPart> = {};
  const shared = metaSchemas(dialect);
  const types = new TypedSchemas(new TypedSchema(), dialect);
  const schemas: Record<string, OpenApiPart> = {};
  for (const described of resources) {
    Object.assign(paths, resourcePaths(described, dialect));
    Object.assign(schemas, resourceSchemas(described, dialect, types));
  }
  // What is described by hand says more than the bare fields of a type.
  return { paths, schemas: { ...types.all, ...schemas, ...shared } };
}
