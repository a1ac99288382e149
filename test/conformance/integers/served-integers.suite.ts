import {
  APPLY_PATCH,
  JSON_PATCH,
  JSON_TYPE,
  MERGE_PATCH,
  NumbersCluster,
  OBJECTS,
  resourceVersion,
  wireSpec,
} from './numbers.cluster.js';
import type { TestCluster } from '../test.cluster.js';

/** Texts that are sent, and what the server stores in a field without a schema; `undefined` if it does not accept them. */
const FREE: readonly (readonly [sent: string, kept: string | undefined])[] = [
  ['9007199254740993', '9007199254740993'],
  ['9223372036854775807', '9223372036854775807'],
  ['-9223372036854775808', '-9223372036854775808'],
  ['9223372036854775808', '9223372036854776000'],
  ['18446744073709551615', '18446744073709552000'],
  ['123456789012345678901234567890', '1.2345678901234568e+29'],
  ['9007199254740993.0', '9007199254740992'],
  ['9007199254740993e0', '9007199254740992'],
  ['12345678901234567.0', '12345678901234568'],
  ['1e16', '10000000000000000'],
  ['1E20', '100000000000000000000'],
  ['1e21', '1e+21'],
  ['1.0', '1'],
  ['-0.0', '0'],
  ['1e-400', '0'],
  ['0.1000000000000000055', '0.1'],
  ['0.0000001', '1e-7'],
  ['1e-6', '0.000001'],
  ['123456789.123456789', '123456789.12345679'],
];

/** Texts that are sent for fields with a schema, and whether the server accepts them. */
const TYPED: readonly (readonly [field: string, sent: string, accepted: boolean])[] = [
  ['int64', '9007199254740993', true],
  ['int64', '-9223372036854775808', true],
  ['int64', '9223372036854775808', false],
  ['int64', '1e15', true],
  ['int64', '1e16', false],
  ['int64', '9007199254740993.0', false],
  ['integer', '9223372036854775807', true],
  ['integer', '18446744073709551615', false],
  ['number', '9007199254740993', true],
  ['number', '18446744073709551615', true],
  ['either', '9007199254740993', true],
  ['either', '9223372036854775808', false],
  ['even', '9007199254740994', true],
  ['even', '9007199254740993', false],
  ['even', '-9007199254740996', false],
  ['set', '[9007199254740993,9007199254740992]', true],
  ['set', '[9007199254740993,9007199254740993]', false],
];

/** Declares the tests of servers with integers that JavaScript's numbers cannot hold. */
export function describeServedIntegers(title: string, startCluster: () => Promise<TestCluster>): void {
  describe(title, () => {
    let cluster: NumbersCluster;

    beforeAll(async () => {
      cluster = await NumbersCluster.start(startCluster);
    }, 120_000);

    afterEach(() => cluster.clear());
    afterAll(() => cluster?.stop());

    it.each(FREE)('should keep %s as %s', async (sent, kept) => {
      const { status, text } = await cluster.create('free', `{"free":[${sent},{"x":${sent}}]}`);
      expect(status).toBe(201);
      expect(wireSpec(text)).toBe(`{"free":[${kept},{"x":${kept}}]}`);
      expect(await cluster.specOf('free')).toBe(`{"free":[${kept},{"x":${kept}}]}`);
    });

    it.each(TYPED)('should check %s: %s is accepted: %s', async (field, sent, accepted) => {
      const { status } = await cluster.create('typed', `{"${field}":${sent}}`);
      expect(status).toBe(accepted ? 201 : 422);
    });

    it('should not accept what no number is as large as', async () => {
      expect((await cluster.create('large', '{"free":1e400}')).status).toBe(400);
    });

    it('should set a default to the digit', async () => {
      const { text } = await cluster.create('default', '{}');
      expect(text).toContain('"spec":{"given":9007199254740993}');
    });

    it('should patch to the digit, and tell neighbours apart', async () => {
      await cluster.create('patched', '{"int64":9007199254740993,"list":[9007199254740993]}');
      const path = `${OBJECTS}/patched`;
      const patch = async (body: string, type: string): Promise<[number, string]> => {
        const { status, text } = await cluster.send('PATCH', path, body, type);
        return [status, status === 200 ? wireSpec(text) : ''];
      };
      expect(await patch('{"spec":{"int64":9007199254740992}}', MERGE_PATCH)).toEqual([
        200,
        '{"int64":9007199254740992,"list":[9007199254740993]}',
      ]);
      const operations = (tested: string): string =>
        `[{"op":"test","path":"/spec/list/0","value":${tested}},{"op":"add","path":"/spec/list/-","value":-9007199254740995}]`;
      expect((await patch(operations('9007199254740992'), JSON_PATCH))[0]).toBe(422);
      expect(await patch(operations('9007199254740993'), JSON_PATCH)).toEqual([
        200,
        '{"int64":9007199254740992,"list":[9007199254740993,-9007199254740995]}',
      ]);
      const before = await cluster.user.get(path);
      expect((await patch('{"spec":{"int64":9007199254740992}}', MERGE_PATCH))[0]).toBe(200);
      expect((await cluster.user.get(path))?.metadata.resourceVersion).toBe(before?.metadata.resourceVersion);
    });

    it('should replace by what was read without a change', async () => {
      await cluster.create('replaced', '{"int64":9007199254740993,"free":1e16}');
      const { text } = await cluster.send('GET', `${OBJECTS}/replaced`, '');
      const { status, text: answer } = await cluster.send('PUT', `${OBJECTS}/replaced`, text);
      expect(status).toBe(200);
      expect(wireSpec(answer)).toBe(wireSpec(text));
      expect(resourceVersion(answer)).toBe(resourceVersion(text));
    });

    it('should apply to the digit, as JSON and as YAML', async () => {
      const apply = (body: string) =>
        cluster.send('PATCH', `${OBJECTS}/applied?fieldManager=test&force=true`, body, APPLY_PATCH);
      const head = '"apiVersion":"numbers.kopf.dev/v1","kind":"Number","metadata":{"name":"applied"}';
      const { text } = await apply(`{${head},"spec":{"int64":9007199254740993,"set":[9007199254740993]}}`);
      expect(wireSpec(text)).toBe('{"int64":9007199254740993,"set":[9007199254740993]}');
      const yaml = `apiVersion: numbers.kopf.dev/v1
kind: Number
metadata: {name: applied}
spec: {int64: 9007199254740995, set: [9007199254740993, 9007199254740992]}
`;
      const { text: second } = await apply(yaml);
      expect(wireSpec(second)).toBe('{"int64":9007199254740995,"set":[9007199254740993,9007199254740992]}');
      expect(second).toMatch(/v:9007199254740992\\?".*v:9007199254740993/);
    });

    it('should print it in tables', async () => {
      await cluster.create('printed', '{"int64":9007199254740993}');
      const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
      const { text } = await cluster.user.exchange('GET', `${OBJECTS}?includeObject=None`, '', JSON_TYPE, accept);
      expect(text).toContain('"cells":["printed",9007199254740993]');
    });
  });
}
