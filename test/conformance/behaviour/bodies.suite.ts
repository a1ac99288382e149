import { customResource, DEFINITIONS } from '../../support/clusters/cluster.user.js';
import { eventually } from '../../support/time/eventually.js';
import type { ApiConversation } from './api.conversation.js';
import { APPLY_PATCH, CONFIG_MAPS, MERGE_PATCH } from './api.conversation.js';

const FREE = customResource({ kind: 'BodyExample', plural: 'bodyexamples' });
const OBJECTS = '/apis/kopf.dev/v1/namespaces/default/bodyexamples';
const JSON_PATCH = 'application/json-patch+json';
const nested = (depth: number): string => '{"a":'.repeat(depth) + '1' + '}'.repeat(depth);
const free = (name: string, spec: string): string =>
  `{"apiVersion":"kopf.dev/v1","kind":"BodyExample","metadata":{"name":"${name}"},"spec":${spec}}`;
const BOMB = [
  'a: &a [x,x,x,x,x,x,x,x,x]',
  ...'bcdefghi'.split('').map((key, index) => `${key}: &${key} [${`*${'abcdefgh'[index]},`.repeat(9)}]`),
].join('\n');

/** Declares the tests of what can be sent, and of how the server says what is wrong with it. */
export function describeBodies(api: () => ApiConversation): void {
  describe('bodies', () => {
    beforeAll(async () => {
      await api().post(DEFINITIONS, FREE);
      await eventually('the resource is served', async () => (await api().get(OBJECTS)).status === 200);
    });

    const warnings = async (method: string, path: string, body: string, type?: string): Promise<unknown> => {
      const { status, headers } = await api().send(method, path, body, { type });
      expect(status).toBeLessThan(300);
      return headers['warning']?.split(', ').map((warning) => JSON.parse(warning.slice('299 - '.length)));
    };

    it('should be no larger than 3 MiB', async () => {
      const data = { a: 'x'.repeat(3 * 1024 * 1024) };
      const { status, body } = await api().post(CONFIG_MAPS, { metadata: { name: 'large' }, data });
      expect([status, body]).toEqual([
        413,
        {
          kind: 'Status',
          apiVersion: 'v1',
          metadata: {},
          status: 'Failure',
          message: 'Request entity too large: limit is 3145728',
          reason: 'RequestEntityTooLarge',
          code: 413,
        },
      ]);
    });

    it('should not be more than etcd takes', async () => {
      const name = api().name('large');
      const path = `${OBJECTS}/${name}`;
      const text = (length: number): string => `{"a":"${'x'.repeat(length)}"}`;
      const { status, body } = await api().post(OBJECTS, free(name, text(1_573_000)));
      expect([status, body.message, body.reason]).toEqual([500, 'etcdserver: request is too large', undefined]);
      expect((await api().post(OBJECTS, free(name, text(1_571_000)))).status).toBe(201);
      expect((await api().patch(path, { spec: { b: 'y'.repeat(2000) } })).status).toBe(500);
      await api().delete(path);
    });

    it('should be nested deeply if need be', async () => {
      const name = api().name('deep');
      const { status } = await api().post(OBJECTS, free(name, nested(990)));
      expect(status).toBe(201);
      const { text } = await api().get(`${OBJECTS}/${name}`);
      expect(text).toContain(nested(990));
    });

    it.each(['kopf.dev', 'core'])('should not be nested beyond all measure, in the group %s', async (group) => {
      const [path, kind] = group === 'core' ? [CONFIG_MAPS, 'ConfigMap'] : [OBJECTS, 'BodyExample'];
      const { status, body } = await api().post(path, free('deep', nested(20_000)));
      expect(status).toBe(400);
      expect(body.message).toBe(
        `the object provided is unrecognized (must be of type ${kind}): couldn't get version/kind; ` +
          `json parse error: invalid character '{' exceeded max depth ({"apiVersion":"kopf.dev/v1","k ...)`,
      );
    });

    it('should not be nested beyond all measure in patches', async () => {
      const name = api().name('deep');
      await api().post(OBJECTS, free(name, '{}'));
      const { status, body } = await api().patch(`${OBJECTS}/${name}`, free(name, nested(20_000)), MERGE_PATCH);
      expect([status, body.message]).toEqual([400, "error decoding patch: invalid character '{' exceeded max depth"]);
    });

    it('should not make much of little by aliases', async () => {
      const text = `apiVersion: kopf.dev/v1\nkind: BodyExample\nmetadata: {name: bomb}\n${BOMB}\n`;
      const created = await api().send('POST', OBJECTS, text, { type: 'application/yaml' });
      expect(created.status).toBe(400);
      expect(created.body.message).toMatch(
        /^the object provided is unrecognized \(must be of type BodyExample\): .*yaml: document contains excessive aliasing \(61706956657273696f6e3a206b6f70662e6465762f76310a6b696e643a20 ...\)$/,
      );
      const applied = await api().patch(`${OBJECTS}/bomb?fieldManager=test`, text, APPLY_PATCH);
      expect([applied.status, applied.body.message]).toEqual([
        400,
        'error decoding YAML: error converting YAML to JSON: yaml: document contains excessive aliasing',
      ]);
    });

    it('should not make much of little by copies in patches', async () => {
      const name = api().name('copied');
      await api().post(OBJECTS, free(name, '{"text":"a text that is copied"}'));
      const operations = [...Array(60).keys()].map((index) => ({ op: 'copy', from: '/spec', path: `/spec/c${index}` }));
      const { status, body } = await api().patch(`${OBJECTS}/${name}`, operations, JSON_PATCH);
      expect([status, body.message]).toEqual([422, 'the server rejected our request due to an error in our request']);
    });

    it('should be warned about where members are repeated', async () => {
      const name = api().name('repeated');
      const data = '"data":{"x":"1","x":"2"}';
      const path = `${CONFIG_MAPS}/${name}`;
      expect(await warnings('POST', CONFIG_MAPS, `{"metadata":{"name":"x","name":"${name}"},${data}}`)).toEqual([
        'duplicate field "metadata.name"',
        'duplicate field "data.x"',
      ]);
      expect(await warnings('PUT', path, `{"metadata":{"name":"${name}"},${data}}`)).toEqual([
        'duplicate field "data.x"',
      ]);
      expect(await warnings('PATCH', path, `{${data},${data}}`, MERGE_PATCH)).toEqual([
        'duplicate field "data.x"',
        'duplicate field "data"',
      ]);
      expect((await api().get(path)).body.data).toEqual({ x: '2' });
      const custom = api().name('repeated');
      expect(await warnings('POST', OBJECTS, free(custom, '{"a":{"b":1,"b":2},"a":3,"l":[{"a":1,"a":1}]}'))).toEqual([
        'duplicate field "spec.a.b"',
        'duplicate field "spec.a"',
        'duplicate field "spec.l[0].a"',
      ]);
    });

    it('should be rejected where members are repeated and fields are validated strictly', async () => {
      const strict = `${CONFIG_MAPS}?fieldValidation=Strict`;
      const { status, body } = await api().post(
        strict,
        '{"metadata":{"name":"a","name":"b"},"data":{"x":"1","x":"2"},"foo":1}',
      );
      expect([status, body.message]).toEqual([
        400,
        'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: ' +
          'duplicate field "metadata.name", duplicate field "data.x", unknown field "foo"',
      ]);
      const mixed = await api().post(strict, '{"data":{},"foo":1,"data":{"x":"1"},"metadata":{"name":"a"},"bar":{}}');
      expect(mixed.body.message).toContain('unknown field "foo", duplicate field "data", unknown field "bar"');
      expect((await api().post(`${CONFIG_MAPS}?fieldValidation=Ignore`, '{"metadata":{"name":1}}')).status).toBe(400);
    });
  });
}
