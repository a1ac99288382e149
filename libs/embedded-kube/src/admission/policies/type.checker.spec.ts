import { EmbeddedKube } from '../../embedded-kube.js';

const GROUP = 'admissionregistration.k8s.io';
const POLICIES = { group: GROUP, plural: 'validatingadmissionpolicies' };

describe('the type check of policies', () => {
  let kube: EmbeddedKube;

  beforeAll(async () => {
    kube = await EmbeddedKube.start({ port: false });
    const properties = {
      a: { type: 'integer' },
      free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      either: { 'x-kubernetes-int-or-string': true },
      map: { type: 'object', additionalProperties: { type: 'string' } },
      list: { type: 'array', items: { type: 'object', properties: { at: { type: 'string', format: 'date-time' } } } },
    };
    const openAPIV3Schema = { type: 'object', properties: { spec: { type: 'object', properties } } };
    await kube.client.create({ group: 'apiextensions.k8s.io', plural: 'customresourcedefinitions' }, undefined, {
      metadata: { name: 'things.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'things', kind: 'Thing' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
      },
    });
  });

  afterAll(() => kube.stop());

  /** Creates a policy for things with one validation, and returns the warnings about it. */
  async function warningsFor(expression: string): Promise<readonly string[]> {
    const rule = { apiGroups: ['example.com'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['things'] };
    const policy = await kube.client.create(POLICIES, undefined, {
      metadata: { generateName: 'p-' },
      spec: { matchConstraints: { resourceRules: [rule] }, validations: [{ expression }] },
    });
    const { name = '' } = policy.metadata;
    const read = () => kube.client.get(POLICIES, undefined, name)?.status as PolicyStatus | undefined;
    await vi.waitFor(() => expect(read()?.observedGeneration).toBe(1));
    return (read()?.typeChecking?.expressionWarnings ?? []).map(({ warning }) => warning.split('\n')[0]!);
  }

  it.each([
    ['object.spec.b == 1', "example.com/v1, Kind=Thing: ERROR: <input>:1:12: undefined field 'b'"],
    ['object.spec.a == "x"', "'_==_' applied to '(int, string)'"],
    ['object.spec.map.x == 1', "'_==_' applied to '(string, int)'"],
    ['object.spec.list[0].at == 1', "'_==_' applied to '(timestamp, int)'"],
    ['object.metadata.foo == 1', "undefined field 'foo'"],
    ['object.status.x == 1', "undefined field 'status'"],
  ])('should warn of %s', async (expression, warning) => {
    expect(await warningsFor(expression)).toEqual([expect.stringContaining(warning)]);
  });

  it.each([
    'object.spec.a == 1',
    'object.spec.free.x == 1',
    'object.spec.either == 1 || object.spec.either == "x"',
    'object.metadata.labels.a == "b" && oldObject.kind == "Thing"',
  ])('should not warn of %s', async (expression) => {
    expect(await warningsFor(expression)).toEqual([]);
  });
});

interface PolicyStatus {
  readonly observedGeneration?: number;
  readonly typeChecking?: { readonly expressionWarnings?: readonly { readonly warning: string }[] };
}
