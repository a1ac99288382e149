import { DEFINITIONS } from '../../support/clusters/cluster.user.js';
import { eventually } from '../../support/time/eventually.js';
import type { ApiConversation } from './api.conversation.js';

const STRING = { type: 'string' };

function version(name: string, storage: boolean, properties: object, more: object = {}): object {
  const spec = { type: 'object', properties: { both: STRING, ...properties } };
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
  return { name, storage, served: true, schema, ...more };
}

function definition(plural: string, kind: string, versions: readonly object[]): object {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.kopf.dev` },
    spec: { group: 'kopf.dev', scope: 'Namespaced', names: { plural, kind, singular: kind.toLowerCase() }, versions },
  };
}

const STABLE = { a: { ...STRING, default: 'one' } };
const BETA = version('v1beta1', false, { b: { ...STRING, default: 'beta' } }, { deprecated: true });

/** Declares the tests of custom resources in several versions. */
export function describeVersions(api: () => ApiConversation): void {
  describe('versions', () => {
    const path = (name: string): string => `/apis/kopf.dev/${name}/namespaces/default/versionexamples`;
    const body = (name: string, of: string, spec: object): object => ({
      apiVersion: `kopf.dev/${of}`,
      kind: 'VersionExample',
      metadata: { name },
      spec,
    });
    const specIn = async (of: string, name: string): Promise<unknown> =>
      (await api().get(`${path(of)}/${name}`)).body.spec;

    beforeAll(async () => {
      const versions = [version('v1', true, STABLE), BETA];
      await api().post(DEFINITIONS, definition('versionexamples', 'VersionExample', versions));
      await eventually('the versions are served', async () => (await api().get(path('v1beta1'))).status === 200);
    });

    it('should lose the fields that the stored version does not know', async () => {
      const name = api().name('version');
      const { body: created } = await api().post(path('v1beta1'), body(name, 'v1beta1', { b: 'B', both: 'x' }));
      expect([created.apiVersion, created.spec]).toEqual(['kopf.dev/v1beta1', { both: 'x' }]);
      expect(await specIn('v1beta1', name)).toEqual({ both: 'x' });
      expect(await specIn('v1', name)).toEqual({ a: 'one', both: 'x' });
    });

    it('should lose the fields that the version does not know in which an object is changed', async () => {
      const name = api().name('version');
      await api().post(path('v1'), body(name, 'v1', { a: 'A', both: 'x' }));
      expect(await specIn('v1beta1', name)).toEqual({ both: 'x' });
      const { body: patched } = await api().patch(`${path('v1beta1')}/${name}`, { spec: { both: 'z' } });
      expect(patched.spec).toEqual({ both: 'z' });
      expect(await specIn('v1', name)).toEqual({ a: 'one', both: 'z' });
    });

    it('should warn of a deprecated version, whatever is asked', async () => {
      const warning = '299 - "kopf.dev/v1beta1 VersionExample is deprecated; use kopf.dev/v1 VersionExample"';
      expect((await api().get(path('v1beta1'))).headers['warning']).toBe(warning);
      const gone = await api().delete(`${path('v1beta1')}/none`);
      expect([gone.status, gone.headers['warning']]).toEqual([404, warning]);
      const unknown = body(api().name('version'), 'v1beta1', { a: 'A' });
      expect((await api().post(path('v1beta1'), unknown)).headers['warning']).toBe(
        `${warning}, 299 - "unknown field \\"spec.a\\""`,
      );
      expect((await api().get(path('v1'))).headers['warning']).toBeUndefined();
      expect((await api().get('/api/v1/endpoints')).headers['warning']).toBe(
        '299 - "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"',
      );
    });

    it('should set defaults that are newer than an object when it is read', async () => {
      const defaulted = '/apis/kopf.dev/v1/namespaces/default/defaultexamples';
      const crd = `${DEFINITIONS}/defaultexamples.kopf.dev`;
      const versions = (properties: object): object[] => [version('v1', true, properties)];
      await api().post(DEFINITIONS, definition('defaultexamples', 'DefaultExample', versions({})));
      await eventually('the resource is served', async () => (await api().get(defaulted)).status === 200);
      const object = { ...body('old', 'v1', { both: 'x' }), kind: 'DefaultExample' };
      expect((await api().post(defaulted, object)).body.spec).toEqual({ both: 'x' });
      await api().patch(crd, { spec: { versions: versions({ late: { ...STRING, default: 'new' } }) } });
      const expected = { both: 'x', late: 'new' };
      await eventually('the default is set', async () => {
        return (await api().get(`${defaulted}/old`)).body.spec.late === 'new';
      });
      expect((await api().get(`${defaulted}/old`)).body).toMatchObject({ metadata: { generation: 1 }, spec: expected });
      expect((await api().get(defaulted)).body.items[0].spec).toEqual(expected);
      const [added] = await api().watch(`${defaulted}?watch=1`, 1);
      expect(added.object.spec).toEqual(expected);
    });
  });
}
