import { InProcessWebhooks } from '../../admission/webhooks/transport/in-process-webhooks.js';
import { DEFINITIONS_PATH, Harness, WIDGETS } from '../../harness.spec-support.js';
import { mapping } from '../../common/json.values.js';

const PATH = (version: string): string => `/apis/example.com/${version}/namespaces/default/widgets`;
const version = (name: string, storage: boolean, field: string) => ({
  name,
  served: true,
  storage,
  schema: {
    openAPIV3Schema: {
      type: 'object',
      properties: { spec: { type: 'object', required: [field], properties: { [field]: { type: 'string' } } } },
    },
  },
});
const DEFINITION = {
  ...WIDGETS,
  spec: {
    ...WIDGETS.spec,
    versions: [version('v1', true, 'hostPort'), version('v2', false, 'address')],
    conversion: {
      strategy: 'Webhook',
      webhook: { conversionReviewVersions: ['v1'], clientConfig: { url: 'https://hooks.example/convert' } },
    },
  },
};

/** The answer of the webhook to a request, and the reviews that it got. */
let answer: (request: Record<string, unknown>) => object;
let reviews: { readonly to: unknown; readonly count: number }[];
let kube: Harness;

/** Renames a field to its name in the other version. */
function convert({ uid, desiredAPIVersion, objects }: Record<string, unknown>): object {
  const [from, to] = desiredAPIVersion === 'example.com/v2' ? ['hostPort', 'address'] : ['address', 'hostPort'];
  const convertedObjects = (objects as Record<string, unknown>[]).map((object) => ({
    ...object,
    apiVersion: desiredAPIVersion,
    spec: { [to!]: mapping(object['spec'])[from!] },
  }));
  return { uid, result: { status: 'Success' }, convertedObjects };
}

beforeEach(async () => {
  answer = convert;
  reviews = [];
  const webhookTransport = new InProcessWebhooks({
    'https://hooks.example/convert': (review: object) => {
      const { request, apiVersion } = mapping(review);
      const { desiredAPIVersion: to, objects } = mapping(request);
      reviews.push({ to, count: (objects as unknown[]).length });
      return { apiVersion, kind: 'ConversionReview', response: answer(mapping(request)) };
    },
  });
  kube = await Harness.start({ webhookTransport });
  await kube.post(DEFINITIONS_PATH, DEFINITION);
});
afterEach(() => kube.kube.stop());

const create = (name: string, apiVersion = 'v1', spec: object = { hostPort: `${name}:1` }) =>
  kube.post(PATH(apiVersion), { apiVersion: `example.com/${apiVersion}`, kind: 'Widget', metadata: { name }, spec });

describe('a definition with a conversion webhook', () => {
  it('should give objects in the version that is asked for', async () => {
    expect((await create('a')).body.spec).toEqual({ hostPort: 'a:1' });
    const { body } = await kube.get(`${PATH('v2')}/a`);
    expect(body).toMatchObject({ apiVersion: 'example.com/v2', metadata: { name: 'a' }, spec: { address: 'a:1' } });
    expect((await kube.get(PATH('v2'))).body.items).toMatchObject([{ spec: { address: 'a:1' } }]);
  });

  it('should store objects in the storage version', async () => {
    const created = await create('a', 'v2', { address: 'a:2' });
    expect(created.body).toMatchObject({ apiVersion: 'example.com/v2', spec: { address: 'a:2' } });
    expect((await kube.get(`${PATH('v1')}/a`)).body.spec).toEqual({ hostPort: 'a:2' });
    const changed = await kube.patch(`${PATH('v2')}/a`, { spec: { address: 'a:3' } });
    expect(changed.body.spec).toEqual({ address: 'a:3' });
    expect((await kube.get(`${PATH('v1')}/a`)).body).toMatchObject({
      metadata: { generation: 2 },
      spec: { hostPort: 'a:3' },
    });
  });

  it('should tell watches of their own version, also of what is deleted', async () => {
    const reader = await kube.watch(`${PATH('v2')}?watch=1`);
    await create('a');
    await kube.patch(`${PATH('v1')}/a`, { metadata: { labels: { x: 'y' } } });
    await kube.delete(`${PATH('v1')}/a`);
    expect(await reader.next()).toMatchObject({ type: 'ADDED', object: { spec: { address: 'a:1' } } });
    expect(await reader.next()).toMatchObject({
      type: 'MODIFIED',
      object: { metadata: { labels: { x: 'y' } }, spec: { address: 'a:1' } },
    });
    expect(await reader.next()).toMatchObject({ type: 'DELETED', object: { spec: { address: 'a:1' } } });
  });

  it('should convert all objects of a list in one review, and once', async () => {
    await kube.patch(`${DEFINITIONS_PATH}/widgets.example.com`, {
      spec: { versions: [version('v1', true, 'hostPort')] },
    });
    await create('a');
    await create('b');
    await kube.patch(`${DEFINITIONS_PATH}/widgets.example.com`, { spec: { versions: DEFINITION.spec.versions } });
    reviews = [];
    await kube.get(PATH('v2'));
    await kube.get(PATH('v2'));
    expect(reviews).toEqual([{ to: 'example.com/v2', count: 2 }]);
  });

  it.each<[string, object, string]>([
    [
      'does not convert',
      { result: { status: 'Failed', message: 'no such field' } },
      'conversion webhook for example.com/v1, Kind=Widget failed: no such field',
    ],
    [
      'answers for another review',
      { uid: 'other', result: { status: 'Success' }, convertedObjects: [] },
      'conversion webhook for example.com/v1, Kind=Widget failed: expected response.uid=',
    ],
    [
      'loses objects',
      { result: { status: 'Success' }, convertedObjects: [] },
      'conversion webhook for example.com/v1, Kind=Widget returned 0 objects, expected 1',
    ],
  ])('should answer with an error if the webhook %s', async (_name, response, message) => {
    answer = ({ uid }) => ({ uid, ...response });
    await create('a');
    const { status, body } = await kube.get(`${PATH('v2')}/a`);
    expect(status).toBe(500);
    expect(body.message).toContain(message);
    expect((await kube.get(`${PATH('v1')}/a`)).status).toBe(200);
    answer = convert;
    expect((await kube.get(`${PATH('v2')}/a`)).body.spec).toEqual({ address: 'a:1' });
  });

  it('should not store what cannot be converted for the storage', async () => {
    answer = ({ uid }) => ({ uid, result: { status: 'Failed', message: 'no' } });
    const { status, body } = await create('a', 'v2', { address: 'x' });
    expect(status).toBe(500);
    expect(body.message).toBe('conversion webhook for example.com/v2, Kind=Widget failed: no');
    expect((await kube.get(`${PATH('v1')}/a`)).status).toBe(404);
  });
});
