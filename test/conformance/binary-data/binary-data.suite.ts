import type { TestCluster } from '../test.cluster.js';

const SECRETS = '/api/v1/namespaces/default/secrets';
const MAPS = '/api/v1/namespaces/default/configmaps';

/** Declares the tests of the server's messages about texts that are no base64, in fields that hold binary data. */
export function describeBinaryData(title: string, startCluster: () => Promise<TestCluster>): void {
  describe(title, () => {
    let cluster: TestCluster;
    let count = 0;

    beforeAll(async () => {
      cluster = await startCluster();
    }, 120_000);

    afterAll(() => cluster?.stop());

    async function send(method: string, path: string, body: object, contentType = 'application/json') {
      const { status, text } = await cluster.user.exchange(method, path, JSON.stringify(body), contentType);
      return { status, answer: JSON.parse(text) as Record<string, any> };
    }

    function secret(data: object, name = `secret-${++count}`) {
      return { apiVersion: 'v1', kind: 'Secret', metadata: { name }, data };
    }

    async function createSecret(): Promise<string> {
      const body = secret({ a: 'Yg==' });
      expect(await send('POST', SECRETS, body)).toMatchObject({ status: 201 });
      return body.metadata.name;
    }

    it.each([
      ['canary', 4],
      ['Y', 0],
      ['YQ', 0],
      ['YQ=', 3],
      ['=', 0],
      ['Y=', 1],
      ['YQ=a', 2],
      ['YQ==x', 4],
      ['YWE=YWE=', 4],
      ['YWFhYQ', 4],
      ['YWFh!WFh', 4],
      ['YWFhé', 4],
      ['YW Fh', 2],
      ['Y-_h', 1],
      ['YWFh\nY', 5],
      ['YQ=\n', 4],
      ['Y\nQ', 1],
    ])('should reject %j with the place of the error', async (text, position) => {
      expect(await send('POST', SECRETS, secret({ key: text }))).toMatchObject({
        status: 400,
        answer: {
          reason: 'BadRequest',
          message: `Secret in version "v1" cannot be handled as a Secret: illegal base64 data at input byte ${position}`,
        },
      });
    });

    it.each([
      ['', ''],
      ['YQ==', 'YQ=='],
      ['YR==', 'YQ=='],
      ['YW\r\nFh\n', 'YWFh'],
      ['YQ=\n=\n', 'YQ=='],
      ['+/+/', '+/+/'],
    ])('should store %j as %j', async (text, stored) => {
      expect(await send('POST', SECRETS, secret({ key: text }))).toMatchObject({
        status: 201,
        answer: { data: { key: stored } },
      });
    });

    it('should reject what is no text', async () => {
      expect(await send('POST', SECRETS, secret({ key: 5 }))).toMatchObject({ status: 400 });
      expect(await send('POST', SECRETS, secret({ key: true }))).toMatchObject({ status: 400 });
    });

    it('should reject it in a replacement', async () => {
      const name = await createSecret();
      expect(await send('PUT', `${SECRETS}/${name}`, secret({ a: '!' }, name))).toMatchObject({
        status: 400,
        answer: {
          message: 'Secret in version "v1" cannot be handled as a Secret: illegal base64 data at input byte 0',
        },
      });
    });

    it.each([
      ['application/merge-patch+json', { data: { b: 'YQ=' } }],
      ['application/strategic-merge-patch+json', { data: { b: 'YQ=' } }],
      ['application/json-patch+json', [{ op: 'add', path: '/data/b', value: 'YQ=' }]],
    ])('should reject it in a patch of type %s', async (contentType, patch) => {
      const name = await createSecret();
      const { status, answer } = await send('PATCH', `${SECRETS}/${name}`, patch, contentType);
      expect({ status, reason: answer.reason }).toEqual({ status: 422, reason: 'Invalid' });
      expect(answer.message).toMatch(
        /^ "" is invalid: patch: Invalid value: ".*": .*illegal base64 data at input byte 3$/,
      );
    });

    it('should reject it in a configuration that is applied', async () => {
      const apply = (object: { metadata: { name: string } }) =>
        send('PATCH', `${SECRETS}/${object.metadata.name}?fieldManager=test`, object, 'application/apply-patch+yaml');
      const rejection = {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message:
          'failed to convert new object (/applied; /v1, Kind=Secret) to proper version: unable to convert unstructured ' +
          'object to /v1, Kind=Secret: error decoding from json: illegal base64 data at input byte 3',
        code: 500,
      };
      expect((await apply(secret({ b: 'YQ=' }, 'applied'))).answer).toEqual(rejection);
      expect((await apply(secret({ b: 'YQ==' }, 'applied'))).status).toBe(201);
      expect((await apply(secret({ b: 'YQ=' }, 'applied'))).answer).toEqual(rejection);
    });

    it('should reject it in a ConfigMap', async () => {
      const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, binaryData: { key: 'a' } };
      expect(await send('POST', MAPS, body)).toMatchObject({
        status: 400,
        answer: {
          message: 'ConfigMap in version "v1" cannot be handled as a ConfigMap: illegal base64 data at input byte 0',
        },
      });
    });
  });
}
