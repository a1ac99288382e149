import { openApiHash, type OpenApiText } from './open-api.text.js';
import { stringifyJson } from 'kube-common';
import { mapping } from '../../common/json.values.js';
import { metaSchemas } from './meta.schemas.js';
import { OPEN_API_V2, OPEN_API_V3, type OpenApiDialect, type OpenApiResource } from './open-api.dialects.js';
import type { OpenApiPart } from './swagger.schema.js';
import type { PublishedDocuments } from './published.documents.js';
import { resourcePaths } from './resource.paths.js';
import { TypedSchema } from '../../typed/typed.schema.js';
import { resourceSchemas } from './resource.schemas.js';
import { swaggerProtobuf } from './swagger.protobuf.js';
import { TypedSchemas } from './typed.schemas.js';

/** A small document of a built-in kind: its part about metadata is the same for all kinds. */
const EXAMPLE = 'apis/coordination.k8s.io/v1';
const INFO = { title: 'Kubernetes', version: '1.36' };

/**
 * The OpenAPI documents of the resources that are served: those of built-in kinds as a real server publishes them, those of other resources
 * made when they are asked for. They are kept until the resources change.
 */
export class OpenApiDocuments {
  private readonly documents = new Map<string, OpenApiText>();
  private protobuf: Uint8Array | undefined;
  private publishedProtobuf: Uint8Array | undefined;
  private published: PublishedDocuments | undefined;

  /**
   * @param resources returns the resources that are served now
   */
  constructor(private readonly resources: () => readonly OpenApiResource[]) {}

  /** Loads what is published about the built-in kinds, which the other methods need. */
  async load(): Promise<void> {
    this.published ??= (await import('./published.documents.js')).PUBLISHED;
  }

  /** Forgets the documents: the resources or their schemas have changed. */
  invalidate(): void {
    this.documents.clear();
    this.protobuf = undefined;
  }

  /** Returns the answer to `/openapi/v3`: where each group's document is, with a hash of its content. */
  index(): OpenApiText {
    return this.remember('', () => {
      const all = new Set([...this.published!.documents.keys(), ...this.unpublished().keys()]);
      const paths = [...all].sort().map((path) => {
        return [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${this.document(path)!.hash}` }];
      });
      return stringifyJson({ paths: Object.fromEntries(paths) });
    });
  }

  /**
   * Returns the answer to `/openapi/v3/…`, undefined if nothing is served there.
   *
   * @param path the part behind the prefix: `api/v1`, `apis/apps/v1`
   */
  document(path: string): OpenApiText | undefined {
    const published = this.published!.documents.get(path);
    if (published) return published;
    const resources = this.unpublished().get(path);
    if (!resources) return undefined;
    return this.remember(path, () => {
      const { paths, schemas } = describe(resources, OPEN_API_V3);
      const example = JSON.parse(this.published!.documents.get(EXAMPLE)!.text) as {
        components: { schemas: OpenApiPart };
      };
      const shared = metaSchemas(example.components.schemas);
      return stringifyJson({ openapi: '3.0.0', info: INFO, paths, components: { schemas: { ...schemas, ...shared } } });
    });
  }

  /** Returns the answer to `/openapi/v2`: all groups in one document. */
  swagger(): OpenApiText {
    const resources = [...this.unpublished().values()].flat();
    const { swagger } = this.published!;
    return resources.length === 0
      ? swagger
      : this.remember('v2', () => stringifyJson(extended(swagger.text, resources)));
  }

  /**
   * Returns the same in protobuf, which some clients want alone. What is published is encoded once, as that takes longest; what others have
   * added follows, as readers of protobuf merge the parts of a message.
   */
  swaggerProtobuf(): Uint8Array {
    if (this.protobuf) return this.protobuf;
    const swagger = JSON.parse(this.published!.swagger.text) as OpenApiPart;
    this.publishedProtobuf ??= swaggerProtobuf(swagger);
    const resources = [...this.unpublished().values()].flat();
    if (resources.length === 0) return (this.protobuf = this.publishedProtobuf);
    const added = swaggerProtobuf(additions(swagger, resources));
    return (this.protobuf = Buffer.concat([this.publishedProtobuf, added]));
  }

  /** Describes the resources about which nothing is published, by the paths of their documents. */
  private unpublished(): Map<string, OpenApiResource[]> {
    const groups = new Map<string, OpenApiResource[]>();
    for (const served of this.resources()) {
      const { group, version } = served.resource;
      const path = group ? `apis/${group}/${version}` : `api/${version}`;
      if (this.published!.documents.has(path)) continue;
      const resources = groups.get(path);
      if (resources) resources.push(served);
      else groups.set(path, [served]);
    }
    return groups;
  }

  private remember(key: string, make: () => string): OpenApiText {
    let document = this.documents.get(key);
    if (!document) {
      const text = make();
      this.documents.set(key, (document = { text, hash: openApiHash(text) }));
    }
    return document;
  }
}

/** Returns the published document of version 2, with resources that others have added. */
function extended(published: string, resources: readonly OpenApiResource[]): OpenApiPart {
  const swagger = JSON.parse(published) as OpenApiPart;
  const { paths, definitions } = additions(swagger, resources);
  return {
    ...swagger,
    paths: { ...mapping(swagger['paths']), ...paths },
    definitions: { ...definitions, ...mapping(swagger['definitions']) },
  };
}

/** Returns the part of the document of version 2 about resources of which nothing is published. */
function additions(
  swagger: OpenApiPart,
  resources: readonly OpenApiResource[],
): { readonly paths: OpenApiPart; readonly definitions: OpenApiPart } {
  const { paths, schemas } = describe(resources, OPEN_API_V2);
  const known = mapping(swagger['definitions']);
  return { paths, definitions: Object.fromEntries(Object.entries(schemas).filter(([name]) => !(name in known))) };
}

function describe(
  resources: readonly OpenApiResource[],
  dialect: OpenApiDialect,
): { paths: Record<string, OpenApiPart>; schemas: Record<string, OpenApiPart> } {
  const paths: Record<string, OpenApiPart> = {};
  const types = new TypedSchemas(new TypedSchema(), dialect);
  const schemas: Record<string, OpenApiPart> = {};
  for (const served of resources) {
    Object.assign(paths, resourcePaths(served, dialect));
    Object.assign(schemas, resourceSchemas(served, dialect, types));
  }
  return { paths, schemas: { ...types.all, ...schemas } };
}
