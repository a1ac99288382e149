import { eventually } from '../../support/time/eventually.js';
import type { ApiConversation } from './api.conversation.js';
import { CONFIG_MAPS } from './api.conversation.js';

const META = 'g=meta.k8s.io';
const INITIAL = 'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';

/** Declares the tests of the forms in which the server answers. */
export function describeReading(api: () => ApiConversation): void {
  describe('reading', () => {
    let name: string;

    beforeAll(async () => {
      name = api().name('read');
      await api().post(CONFIG_MAPS, { metadata: { name, labels: { reading: 'yes' } } });
    });

    it.each(['v1', 'v1beta1'])('should give tables and metadata in the version %s', async (version) => {
      const apiVersion = `meta.k8s.io/${version}`;
      const accept = (as: string): string => `application/json;as=${as};v=${version};${META}`;
      const object = { kind: 'PartialObjectMetadata', apiVersion, metadata: expect.objectContaining({ name }) };
      const table = await api().get(`${CONFIG_MAPS}/${name}`, accept('Table'));
      expect(table.body).toMatchObject({ kind: 'Table', apiVersion, rows: [{ object }] });
      expect((await api().get(`${CONFIG_MAPS}/${name}`, accept('PartialObjectMetadata'))).body).toEqual(object);
      const list = await api().get(`${CONFIG_MAPS}?labelSelector=reading`, accept('PartialObjectMetadataList'));
      expect(list.body).toMatchObject({ kind: 'PartialObjectMetadataList', apiVersion, items: [object] });
    });

    it('should not give the metadata of a list as those of an object, nor the other way round', async () => {
      const accept = (as: string): string => `application/json;as=${as};v=v1;${META}`;
      const list = await api().get(CONFIG_MAPS, accept('PartialObjectMetadata'));
      expect([list.status, list.body.message, list.body.reason]).toEqual([
        406,
        'you requested PartialObjectMetadata, but the requested object is a list (*core.ConfigMapList)',
        'NotAcceptable',
      ]);
      const object = await api().get(`${CONFIG_MAPS}/${name}`, accept('PartialObjectMetadataList'));
      expect([object.status, object.body.message]).toEqual([
        406,
        'you requested PartialObjectMetadataList, but the requested object is not a list (*core.ConfigMap)',
      ]);
    });

    it('should end the first events of a watch of metadata with a bookmark of metadata', async () => {
      const accept = `application/json;as=PartialObjectMetadata;v=v1;${META}`;
      const [added, bookmark] = await api().watch(`${CONFIG_MAPS}?${INITIAL}&labelSelector=reading`, 2, accept);
      expect(added).toMatchObject({ type: 'ADDED', object: { kind: 'PartialObjectMetadata', metadata: { name } } });
      expect(bookmark).toEqual({
        type: 'BOOKMARK',
        object: {
          kind: 'PartialObjectMetadata',
          apiVersion: 'meta.k8s.io/v1',
          metadata: {
            resourceVersion: expect.any(String),
            annotations: { 'k8s.io/initial-events-end': 'true' },
          },
        },
      });
    });

    it('should tell the versions in which objects are stored', async () => {
      const hashes = async (path: string): Promise<Record<string, string>> => {
        const { body } = await api().get(path);
        const stored = (body.resources as { name: string; storageVersionHash?: string }[]).filter(
          ({ storageVersionHash }) => storageVersionHash,
        );
        return Object.fromEntries(stored.map((each) => [each.name, each.storageVersionHash!]));
      };
      expect(await hashes('/api/v1')).toMatchObject({
        configmaps: 'qFsyl6wFWjQ=',
        events: 'r2yiGXH7wu8=',
        pods: 'xPOwRZ+Yhw8=',
        services: '0/CO1lhkEBI=',
      });
      expect(await hashes('/apis/events.k8s.io/v1')).toEqual({ events: 'r2yiGXH7wu8=' });
      expect(await hashes('/apis/autoscaling/v1')).toEqual({ horizontalpodautoscalers: 'qwQve8ut294=' });
      expect(await hashes('/apis/autoscaling/v2')).toEqual({ horizontalpodautoscalers: 'qwQve8ut294=' });
      expect(await hashes('/apis/apps/v1')).toEqual({
        controllerrevisions: '85nkx63pcBU=',
        daemonsets: 'dd7pWHUlMKQ=',
        deployments: '8aSe+NMegvE=',
        replicasets: 'P1RzHs8/mWQ=',
        statefulsets: 'H+vl74LkKdo=',
      });
    });

    it('should give objects and lists in protobuf to those who accept nothing else', async () => {
      const type = 'application/vnd.kubernetes.protobuf';
      for (const [path, kind] of [
        [`${CONFIG_MAPS}/${name}`, 'ConfigMap'],
        [`${CONFIG_MAPS}?labelSelector=reading`, 'ConfigMapList'],
      ] as const) {
        const { status, headers, text } = await api().get(path, type);
        expect([status, headers['content-type']]).toEqual([200, type]);
        expect(
          text.startsWith(
            `k8s\0\n${String.fromCharCode(6 + kind.length)}\n\x02v1\x12${String.fromCharCode(kind.length)}${kind}`,
          ),
        ).toBe(true);
        expect(text).toContain(name);
      }
      expect((await api().get(`${CONFIG_MAPS}/${name}`, `${type},application/json;q=0.5`)).status).toBe(200);
    });

    it('should describe its kinds in protobuf to those who accept nothing else', async () => {
      const type = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
      const { status, headers, text } = await api().get('/openapi/v2', type);
      expect([status, headers['content-type']]).toEqual([200, type]);
      expect(text).toContain('io.k8s.api.core.v1.ConfigMap');
      expect(text).toContain('x-kubernetes-group-version-kind');
    });

    it('should describe parameters only where there are some', async () => {
      const { body, text } = await api().get('/openapi/v3/api/v1');
      expect(text).not.toMatch(/"parameters":\s*\[\s*\]/);
      expect(Object.keys(body.paths['/api/v1/nodes']).sort()).toEqual(['delete', 'get', 'parameters', 'post']);
    });

    it('should tell its health check by check', async () => {
      const text = (path: string): Promise<string> =>
        api()
          .get(path)
          .then((answer) => answer.text);
      await eventually('the server is ready', async () => (await text('/readyz')) === 'ok');
      for (const kind of ['healthz', 'livez', 'readyz']) {
        const lines = (await text(`/${kind}?verbose`)).split('\n');
        expect(lines.slice(0, 2)).toEqual(['[+]ping ok', '[+]log ok']);
        expect(lines).toContain('[+]etcd ok');
        expect(lines).toContain('[+]poststarthook/rbac/bootstrap-roles ok');
        expect(lines.slice(-2)).toEqual([`${kind} check passed`, '']);
        expect(lines).toHaveLength(kind === 'readyz' ? 38 : 36);
      }
      const excluded = await text('/readyz?verbose&exclude=ping&exclude=none');
      expect(excluded).toMatch(/^\[\+\]ping excluded: ok\n\[\+\]log ok\n/);
      expect(excluded).toMatch(
        /\nwarn: some health checks cannot be excluded: no matches for "none"\nreadyz check passed\n$/,
      );
      expect(await text('/livez/ping')).toBe('ok');
      expect((await api().get('/livez/none')).status).toBe(404);
    });

    it.each([
      ['bad', 'time: invalid duration "bad"'],
      ['5', 'time: missing unit in duration "5"'],
      ['5x', 'time: unknown unit "x" in duration "5x"'],
    ])('should refuse the timeout %s', async (timeout, problem) => {
      for (const path of [`${CONFIG_MAPS}/${name}`, CONFIG_MAPS, '/api']) {
        const { status, body } = await api().get(`${path}?timeout=${timeout}`);
        expect([status, body.message]).toEqual([400, `invalid timeout specified in the request URL - ${problem}`]);
      }
      expect((await api().get(`${CONFIG_MAPS}/${name}?timeout=1m30s`)).status).toBe(200);
    });
  });
}
