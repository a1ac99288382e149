import {
  type Answer,
  DEFINITIONS_PATH,
  Harness,
  MERGE_PATCH,
  WIDGETS,
  WIDGETS_PATH,
  widget,
} from '../harness.spec-support.js';

const ONE = `${WIDGETS_PATH}/one`;
const MAPS = '/api/v1/namespaces/default/configmaps';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';

interface Entry {
  readonly manager: string;
  readonly operation: string;
  readonly subresource?: string;
  readonly time?: string;
  readonly fieldsV1: object;
}

let kube: Harness;
const entries = ({ body }: Answer): Entry[] => body.metadata.managedFields as Entry[];
const owned = (answer: Answer): Record<string, string> =>
  Object.fromEntries(
    entries(answer).map(({ manager, subresource, fieldsV1 }) => [
      subresource ? `${manager}/${subresource}` : manager,
      JSON.stringify(fieldsV1),
    ]),
  );
const patchAs = (manager: string, body: object, path = ONE): Promise<Answer> =>
  kube.patch(`${path}?fieldManager=${manager}`, body);

beforeEach(async () => {
  kube = await Harness.start();
  await kube.post(DEFINITIONS_PATH, WIDGETS);
});
afterEach(() => kube.kube.stop());

describe('managed fields', () => {
  it('should name who creates, changes and removes', async () => {
    const created = await kube.post(`${WIDGETS_PATH}?fieldManager=a`, widget('one', { size: '1G', count: 1 }));
    expect(owned(created)).toEqual({ a: '{"f:spec":{".":{},"f:color":{},"f:count":{},"f:size":{}}}' });
    expect(owned(await patchAs('b', { spec: { count: 2 } }))).toEqual({
      a: '{"f:spec":{".":{},"f:color":{},"f:size":{}}}',
      b: '{"f:spec":{"f:count":{}}}',
    });
    expect(owned(await patchAs('c', { spec: { count: null }, metadata: { labels: { x: '1' } } }))).toEqual({
      a: '{"f:spec":{".":{},"f:color":{},"f:size":{}}}',
      c: '{"f:metadata":{"f:labels":{".":{},"f:x":{}}}}',
    });
  });

  it('should name clients without a field manager by their user agents', async () => {
    const headers = { ...MERGE_PATCH, 'user-agent': 'operator/1.0 (linux) x/y' };
    await kube.post(WIDGETS_PATH, widget('one'));
    const changed = await kube.request('PATCH', ONE, { spec: { count: 1 } }, headers);
    expect(entries(changed).map(({ manager }) => manager)).toEqual(['operator', 'unknown']);
  });

  it('should record the status by its subresource', async () => {
    await kube.post(`${WIDGETS_PATH}?fieldManager=a`, widget('one'));
    const changed = await patchAs('a', { spec: { count: 4 }, status: { ready: true } }, `${ONE}/status`);
    expect(owned(changed)['a/status']).toBe('{"f:status":{".":{},"f:ready":{}}}');
    expect(entries(changed)).toHaveLength(2);
  });

  it('should renew the time of who changes something, and of nobody else', async () => {
    await kube.post(`${WIDGETS_PATH}?fieldManager=a`, widget('one'));
    const times = async (): Promise<Record<string, string>> =>
      Object.fromEntries(entries(await kube.get(ONE)).map(({ manager, time }) => [manager, time!]));
    await kube.clock.advance(60_000);
    await patchAs('b', { spec: { count: 1 } });
    const before = await times();
    expect(before['b']).not.toBe(before['a']);
    await kube.clock.advance(60_000);
    await patchAs('b', { spec: { count: 1 } });
    expect(await times()).toEqual(before);
    await patchAs('b', { spec: { count: 2 } });
    expect(await times()).toEqual({ a: before['a'], b: expect.not.stringMatching(before['b']!) as string });
  });

  it('should make a later application conflict with an update', async () => {
    await kube.post(`${MAPS}?fieldManager=a`, { metadata: { name: 'one' }, data: { k: '1' } });
    const configuration = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one' }, data: { k: '2' } };
    const applied = await kube.patch(`${MAPS}/one?fieldManager=m`, configuration, {
      'content-type': 'application/apply-patch+yaml',
    });
    expect(applied.body).toMatchObject({
      code: 409,
      message: 'Apply failed with 1 conflict: conflict with "a" using v1: .data.k',
    });
  });

  it('should hand replicas over to who scales', async () => {
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    const spec = { replicas: 0, selector: { matchLabels: { a: 'b' } }, template };
    await kube.post(`${DEPLOYMENTS}?fieldManager=a`, { metadata: { name: 'one' }, spec });
    await kube.patch(`${DEPLOYMENTS}/one/scale?fieldManager=hpa`, { spec: { replicas: 2 } });
    const scaled = owned(await kube.get(`${DEPLOYMENTS}/one`));
    expect(scaled['hpa/scale']).toBe('{"f:spec":{"f:replicas":{}}}');
    expect(scaled['a']).not.toContain('f:replicas');
  });

  it.each([
    ['leave a number of 0 to nobody', [2, 0]],
    ['take the number from its owner even where it stays', [1]],
  ])('should %s', async (_, numbers) => {
    const labels = { app: 'one' };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    const spec = { selector: { matchLabels: labels }, template };
    const created = await kube.post(`${DEPLOYMENTS}?fieldManager=a`, { metadata: { name: 'one' }, spec });
    expect(owned(created)['a']).toContain('f:replicas');
    for (const replicas of numbers) {
      await kube.patch(`${DEPLOYMENTS}/one/scale?fieldManager=hpa`, { spec: { replicas } });
    }
    const annotated = await kube.patch(`${DEPLOYMENTS}/one?fieldManager=b`, { metadata: { annotations: { n: '1' } } });
    expect(Object.values(owned(annotated)).join()).not.toContain('f:replicas');
  });

  it('should end and never begin again after a reset', async () => {
    await kube.post(WIDGETS_PATH, widget('one'));
    const reset = await patchAs('a', { metadata: { managedFields: [{}] } });
    expect(reset.body.metadata).not.toHaveProperty('managedFields');
    expect((await patchAs('a', { spec: { count: 1 } })).body.metadata).not.toHaveProperty('managedFields');
  });

  it('should be those that the client sends, and those that were there if it sends none', async () => {
    const { body } = await kube.post(`${WIDGETS_PATH}?fieldManager=a`, widget('one'));
    const { managedFields: _, ...metadata } = body.metadata as { managedFields: object[] };
    const put = await kube.request('PUT', `${ONE}?fieldManager=b`, { ...body, metadata });
    expect(Object.keys(owned(put))).toEqual(['a']);
    const renamed = entries(put).map((entry) => ({ ...entry, manager: 'renamed' }));
    expect(Object.keys(owned(await patchAs('b', { metadata: { managedFields: renamed } })))).toEqual(['renamed']);
  });
});
