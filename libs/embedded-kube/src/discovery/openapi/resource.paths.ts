import { META_SCHEMAS } from './meta.schemas.js';
import type { OpenApiDialect, OpenApiResource } from './open-api.dialects.js';
import type { OpenApiPart } from './swagger.schema.js';
import { groupVersionKind, schemaName } from './resource.schemas.js';

/**
 * The media types of patches without strategic merge patches: a client that sees them offered takes the merge keys from the document, and
 * without them it uses its own of the built-in kinds.
 */
const PATCH_TYPES = ['application/apply-patch+yaml', 'application/json-patch+json', 'application/merge-patch+json'];
const WRITE_PARAMETERS = ['dryRun', 'fieldManager', 'fieldValidation'];
const LIST_PARAMETERS = ['continue', 'fieldSelector', 'labelSelector', 'resourceVersion', 'resourceVersionMatch'];

/** Returns the paths of a resource and of its subresources, with their operations. */
export function resourcePaths(served: OpenApiResource, dialect: OpenApiDialect): Record<string, OpenApiPart> {
  const { resource } = served;
  const { group, version, namespaced, plural } = resource;
  const root = group ? `/apis/${group}/${version}` : `/api/${version}`;
  const scope = namespaced ? `${root}/namespaces/{namespace}/${plural}` : `${root}/${plural}`;
  const pretty = dialect.queryParameter('pretty', 'string');
  const scopeParameters = [...(namespaced ? [dialect.pathParameter('namespace')] : []), pretty];
  const nameParameters = [dialect.pathParameter('name'), ...scopeParameters];
  const writer = new OperationWriter(served, dialect);
  const paths: Record<string, OpenApiPart> = {
    [scope]: writer.collection(scopeParameters),
    [`${scope}/{name}`]: writer.single(resource.verbs, nameParameters),
  };
  for (const { name, verbs } of resource.subresources) {
    // Scales, evictions and the like have other kinds, which need no description to be used.
    if (name === 'status') paths[`${scope}/{name}/${name}`] = writer.single(verbs, nameParameters);
  }
  if (namespaced && resource.verbs.includes('list')) paths[`${root}/${plural}`] = writer.everywhere([pretty]);
  return Object.fromEntries(
    Object.entries(paths).filter(([, path]) => Object.keys(path).some((key) => key !== 'parameters')),
  );
}

class OperationWriter {
  private readonly objectSchema: string;
  private readonly listSchema: string;

  constructor(
    private readonly served: OpenApiResource,
    private readonly dialect: OpenApiDialect,
  ) {
    this.objectSchema = schemaName(served, served.resource.kind);
    this.listSchema = schemaName(served, served.listKind);
  }

  collection(parameters: readonly OpenApiPart[]): OpenApiPart {
    const { verbs } = this.served.resource;
    return {
      ...(verbs.includes('list') && { get: this.list() }),
      ...(verbs.includes('create') && { post: this.write('post') }),
      ...(verbs.includes('deletecollection') && { delete: this.deletion('deletecollection', this.listParameters()) }),
      parameters,
    };
  }

  everywhere(parameters: readonly OpenApiPart[]): OpenApiPart {
    return { get: this.list(), parameters };
  }

  single(verbs: readonly string[], parameters: readonly OpenApiPart[]): OpenApiPart {
    return {
      ...(verbs.includes('get') && { get: this.operation('get', this.objectSchema, {}) }),
      ...(verbs.includes('update') && { put: this.write('put') }),
      ...(verbs.includes('delete') && { delete: this.deletion() }),
      ...(verbs.includes('patch') && { patch: this.patch() }),
      parameters,
    };
  }

  private list(): OpenApiPart {
    const parameters = [...this.listParameters(), this.dialect.queryParameter('watch', 'boolean')];
    return this.operation('list', this.listSchema, { parameters });
  }

  private listParameters(): OpenApiPart[] {
    return [
      ...LIST_PARAMETERS.map((name) => this.dialect.queryParameter(name, 'string')),
      this.dialect.queryParameter('limit', 'integer'),
    ];
  }

  private write(action: string): OpenApiPart {
    const body = this.dialect.body(['application/json', 'application/yaml'], this.objectSchema, this.writeParameters());
    return this.operation(action, this.objectSchema, body);
  }

  private patch(): OpenApiPart {
    const parameters = [...this.writeParameters(), this.dialect.queryParameter('force', 'boolean')];
    return this.operation('patch', this.objectSchema, this.dialect.body(PATCH_TYPES, META_SCHEMAS.patch, parameters));
  }

  private deletion(action = 'delete', others: readonly OpenApiPart[] = []): OpenApiPart {
    const parameters = [
      ...others,
      this.dialect.queryParameter('dryRun', 'string'),
      this.dialect.queryParameter('gracePeriodSeconds', 'integer'),
      this.dialect.queryParameter('propagationPolicy', 'string'),
    ];
    return this.operation(action, META_SCHEMAS.status, { parameters });
  }

  private writeParameters(): OpenApiPart[] {
    return WRITE_PARAMETERS.map((name) => this.dialect.queryParameter(name, 'string'));
  }

  private operation(action: string, answerSchema: string, members: OpenApiPart): OpenApiPart {
    return {
      ...members,
      responses: { 200: this.dialect.response(answerSchema) },
      'x-kubernetes-action': action,
      'x-kubernetes-group-version-kind': groupVersionKind(this.served),
    };
  }
}
