import { BUILTIN_RESOURCES } from '../../kinds/builtin-resources.data.js';
import type { ApiResource } from '../../resources/api-resource.js';
import { readFields } from '../../typed/protobuf.reader.js';
import { OpenApiDocuments } from './open-api.documents.js';
import type { OpenApiResource } from './open-api.dialects.js';

const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const examples: ApiResource = {
  group: 'kopf.dev',
  version: 'v1',
  plural: 'kopfexamples',
  singular: 'kopfexample',
  kind: 'KopfExample',
  namespaced: true,
  shortNames: [],
  categories: [],
  verbs: VERBS,
  subresources: [{ name: 'status', kind: 'KopfExample', verbs: ['get', 'patch', 'update'] }],
};
const schema = { type: 'object', properties: { spec: { type: 'object', description: 'what is wanted' } } };
const custom: OpenApiResource = { resource: examples, listKind: 'KopfExampleList', custom: true, schema };
const builtin = BUILTIN_RESOURCES.map((resource): OpenApiResource => {
  return { resource, listKind: `${resource.kind}List`, custom: false };
});

type Loose = any;

describe('OpenApiDocuments', () => {
  const documents = new OpenApiDocuments(() => [...builtin, custom]);
  const parsed = (path: string): Loose => JSON.parse(documents.document(path)!.text);
  beforeAll(() => documents.load());

  it('should list a document for each group and version', () => {
    const { paths } = JSON.parse(documents.index().text) as { paths: Record<string, { serverRelativeURL: string }> };
    expect(Object.keys(paths)).toEqual(expect.arrayContaining(['api/v1', 'apis/apps/v1', 'apis/kopf.dev/v1']));
    expect(paths['apis/kopf.dev/v1'].serverRelativeURL).toMatch(
      /^\/openapi\/v3\/apis\/kopf.dev\/v1\?hash=[0-9A-F]{128}$/,
    );
  });

  it('should give no document where nothing is served', () => {
    expect(documents.document('apis/none/v1')).toBeUndefined();
  });

  it.each([
    ['apis/kopf.dev/v1', '/apis/kopf.dev/v1/namespaces/{namespace}/kopfexamples/{name}', 'KopfExample'],
    ['apis/kopf.dev/v1', '/apis/kopf.dev/v1/namespaces/{namespace}/kopfexamples/{name}/status', 'KopfExample'],
    ['api/v1', '/api/v1/namespaces/{name}', 'Namespace'],
    ['apis/apps/v1', '/apis/apps/v1/namespaces/{namespace}/deployments/{name}', 'Deployment'],
  ])('should say in %s that PATCH %s validates fields', (document, path, kind) => {
    const { paths } = parsed(document);
    const { patch } = paths[path];
    expect(patch['x-kubernetes-group-version-kind']).toMatchObject({ kind });
    expect(patch.parameters.map(({ name }: { name: string }) => name)).toContain('fieldValidation');
    const isStrategic = Object.keys(patch.requestBody.content).includes('application/strategic-merge-patch+json');
    expect(isStrategic).toBe(document !== 'apis/kopf.dev/v1');
  });

  it('should describe a custom resource by its schema', () => {
    const { components } = parsed('apis/kopf.dev/v1');
    expect(components.schemas['dev.kopf.v1.KopfExample']).toMatchObject({
      type: 'object',
      properties: { spec: schema.properties.spec, kind: { type: 'string' } },
      'x-kubernetes-group-version-kind': [{ group: 'kopf.dev', version: 'v1', kind: 'KopfExample' }],
    });
    expect(components.schemas['dev.kopf.v1.KopfExampleList']).toBeDefined();
  });

  it('should describe the fields that all objects have, as `kubectl explain` prints them', () => {
    const name = 'dev.kopf.v1.KopfExample';
    const described = parsed('apis/kopf.dev/v1').components.schemas[name].properties;
    expect(described.apiVersion.description).toMatch(/^APIVersion defines the versioned schema of /);
    expect(described.kind.description).toMatch(/^Kind is a string value representing the REST resource /);
    expect(described.metadata).toEqual({
      description: expect.stringMatching(/^Standard object's metadata\. More info: https:/),
      allOf: [{ $ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' }],
    });
    expect(JSON.parse(documents.swagger().text).definitions[name].properties.metadata).toEqual({
      description: described.metadata.description,
      $ref: '#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta',
    });
  });

  it('should describe the fields of built-in kinds', () => {
    const { schemas } = parsed('api/v1').components;
    expect(schemas['io.k8s.api.core.v1.Pod'].properties.spec).toEqual({
      allOf: [{ $ref: '#/components/schemas/io.k8s.api.core.v1.PodSpec' }],
      default: {},
      description: expect.stringContaining('Specification of the desired behavior of the pod.'),
    });
    expect(schemas['io.k8s.api.core.v1.PodSpec'].properties).toMatchObject({
      containers: { type: 'array', 'x-kubernetes-patch-merge-key': 'name' },
      restartPolicy: { type: 'string', enum: ['Always', 'Never', 'OnFailure'] },
      nodeSelector: { type: 'object', additionalProperties: { type: 'string' } },
      priority: { type: 'integer', format: 'int32' },
    });
    expect(schemas['io.k8s.api.core.v1.PodSpec'].required).toEqual(['containers']);
    expect(schemas['io.k8s.api.core.v1.Volume'].properties).toHaveProperty('configMap');
  });

  it.each(['v2', 'v3'])('should refer only to schemas that the document of %s has', (version) => {
    const document = JSON.parse(
      version === 'v2' ? documents.swagger().text : documents.document('apis/kopf.dev/v1')!.text,
    );
    const { definitions, components } = document;
    const references = JSON.stringify(document).match(/(?<="\$ref":"#\/(definitions|components\/schemas)\/)[^"]+/g);
    expect(references?.length).toBeGreaterThan(10);
    for (const name of references ?? []) expect(definitions ?? components.schemas).toHaveProperty([name]);
  });

  it('should change the hash with the schema, once the documents are invalidated', async () => {
    let current = custom;
    const changing = new OpenApiDocuments(() => [current]);
    await changing.load();
    const before = changing.index();
    current = { ...custom, schema: { type: 'object' } };
    expect(changing.index()).toBe(before);
    changing.invalidate();
    expect(changing.index()).not.toEqual(before);
  });

  it('should have no empty lists of parameters, and tell of the deletion of collections', () => {
    const { paths } = parsed('apis/kopf.dev/v1');
    const collection = paths['/apis/kopf.dev/v1/namespaces/{namespace}/kopfexamples'];
    expect(Object.keys(collection).sort()).toEqual(['delete', 'get', 'parameters', 'post']);
    expect(collection.delete['x-kubernetes-action']).toBe('deletecollection');
    expect(JSON.stringify(parsed('apis/kopf.dev/v1'))).not.toContain('"parameters":[]');
  });

  it('should say in Swagger what kubectl does not misunderstand', async () => {
    const preserving = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    const properties = {
      spec: {
        type: 'object',
        required: ['list', 'kept'],
        anyOf: [{ required: ['kept'] }],
        properties: {
          kept: { type: 'string' },
          list: { type: 'array', nullable: true, items: { type: 'string' } },
          free: { ...preserving, properties: { a: { type: 'string' } } },
        },
      },
    };
    const definitionOf = async (root: object): Promise<Loose> => {
      const changed = new OpenApiDocuments(() => [{ ...custom, schema: root }]);
      await changed.load();
      const part = JSON.parse(changed.swagger().text);
      const { 'x-kubernetes-group-version-kind': _, ...definition } = part.definitions['dev.kopf.v1.KopfExample'];
      return definition;
    };
    expect(await definitionOf({ ...preserving, properties })).toEqual({ type: 'object' });
    expect((await definitionOf({ type: 'object', properties })).properties.spec).toEqual({
      type: 'object',
      required: ['kept'],
      properties: { kept: { type: 'string' }, list: {}, free: { 'x-kubernetes-preserve-unknown-fields': true } },
    });
  });

  it('should give Swagger in protobuf, too', () => {
    const [swagger] = [...readFields(documents.swaggerProtobuf())];
    expect([swagger!.number, Buffer.from(swagger!.value as Uint8Array).toString()]).toEqual([1, '2.0']);
    const inner = (bytes: Uint8Array, number: number): Uint8Array[] =>
      [...readFields(bytes)].filter((field) => field.number === number).map(({ value }) => value as Uint8Array);
    // Readers merge the parts of a message.
    const pairs = inner(documents.swaggerProtobuf(), 9).flatMap((definitions) => inner(definitions, 1));
    const names = pairs.map((pair) => Buffer.from(inner(pair, 1)[0]!).toString());
    const expected = Object.keys(JSON.parse(documents.swagger().text).definitions);
    expect(names.toSorted()).toEqual(expected.sort());
    const pair = pairs[names.indexOf('dev.kopf.v1.KopfExample')]!;
    const [extension] = inner(inner(pair, 2)[0]!, 31);
    expect(Buffer.from(inner(extension!, 1)[0]!).toString()).toBe('x-kubernetes-group-version-kind');
    expect(JSON.parse(Buffer.from(inner(inner(extension!, 2)[0]!, 2)[0]!).toString())).toEqual([
      { group: 'kopf.dev', kind: 'KopfExample', version: 'v1' },
    ]);
  });
});
