import {
  DEFINITIONS_PATH,
  Harness,
  JSON_PATCH,
  STRATEGIC_PATCH,
  WIDGETS,
  WIDGETS_PATH,
  widget,
} from '../harness.spec-support.js';

const MAPS = '/api/v1/namespaces/default/configmaps';
const ONE = `${WIDGETS_PATH}/one`;

let kube: Harness;
beforeEach(async () => {
  kube = await Harness.start();
  await kube.post(DEFINITIONS_PATH, WIDGETS);
});
afterEach(() => kube.kube.stop());

describe('creating', () => {
  it('should set what the server decides', async () => {
    const { status, body } = await kube.post(WIDGETS_PATH, widget('one', { size: '1G', color: undefined }));
    expect(status).toBe(201);
    expect(body).toEqual({
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: {
        creationTimestamp: '2020-12-31T23:59:59Z',
        generation: 1,
        managedFields: [
          {
            apiVersion: 'example.com/v1',
            fieldsType: 'FieldsV1',
            fieldsV1: { 'f:spec': { '.': {}, 'f:color': {}, 'f:size': {} } },
            manager: 'unknown',
            operation: 'Update',
            time: '2020-12-31T23:59:59Z',
          },
        ],
        name: 'one',
        namespace: 'default',
        resourceVersion: expect.stringMatching(/^\d+$/),
        uid: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      },
      spec: { color: 'red', size: '1G' },
    });
    expect((await kube.get(ONE)).body).toEqual(body);
  });

  it('should ignore the status and the server-made fields of a new object', async () => {
    const metadata = {
      uid: 'mine',
      generation: 9,
      creationTimestamp: '2000-01-01T00:00:00Z',
      deletionTimestamp: '2000-01-01T00:00:00Z',
    };
    const { body } = await kube.post(WIDGETS_PATH, { ...widget('one', { size: '1G' }, metadata), status: { a: 1 } });
    expect(body.status).toBeUndefined();
    expect(body.metadata).toMatchObject({ generation: 1, creationTimestamp: '2020-12-31T23:59:59Z' });
    expect(body.metadata.uid).not.toBe('mine');
    expect(body.metadata.deletionTimestamp).toBeUndefined();
  });

  it('should generate names', async () => {
    const object = { ...widget('', { size: '1G' }), metadata: { generateName: 'gen-' } };
    const { body } = await kube.post(WIDGETS_PATH, object);
    expect(body.metadata.name).toMatch(/^gen-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  });

  it('should do everything but write in a dry run', async () => {
    const { status, body } = await kube.post(`${WIDGETS_PATH}?dryRun=All`, widget('one'));
    expect(status).toBe(201);
    expect(body.metadata.uid).toBeDefined();
    expect(body.metadata.resourceVersion).toBeUndefined();
    expect((await kube.get(ONE)).status).toBe(404);
  });

  it('should give the same uids from the same seed', async () => {
    const other = await Harness.start();
    await other.post(DEFINITIONS_PATH, WIDGETS);
    const [a, b] = await Promise.all([kube, other].map((each) => each.post(WIDGETS_PATH, widget('one'))));
    expect(a!.body).toEqual(b!.body);
    await other.kube.stop();
  });
});

describe('changing', () => {
  beforeEach(() => kube.post(WIDGETS_PATH, widget('one')));

  it('should count the generation for changes outside of metadata and status', async () => {
    expect((await kube.patch(ONE, { metadata: { labels: { a: 'b' } } })).body.metadata.generation).toBe(1);
    expect((await kube.patch(ONE, { spec: { size: '2G' } })).body.metadata.generation).toBe(2);
    expect((await kube.patch(`${ONE}/status`, { status: { a: 1 } })).body.metadata.generation).toBe(2);
  });

  it('should not write what changes nothing', async () => {
    const before = kube.kube.resourceVersion;
    const { status, body } = await kube.patch(ONE, { spec: { size: '1G' }, metadata: { generation: 7 } });
    expect(status).toBe(200);
    expect(body.metadata.resourceVersion).toBe(before);
    expect(kube.kube.resourceVersion).toBe(before);
  });

  it('should keep the status apart', async () => {
    await kube.patch(ONE, { status: { a: 1 } });
    expect((await kube.get(ONE)).body.status).toBeUndefined();
    const { body } = await kube.patch(`${ONE}/status`, {
      status: { a: 1 },
      spec: { size: '9G' },
      metadata: { labels: { x: 'y' } },
    });
    expect(body).toMatchObject({ status: { a: 1 }, spec: { size: '1G' } });
    expect(body.metadata.labels).toBeUndefined();
  });

  it('should apply JSON patches, and guard by a test', async () => {
    const guarded = (version: string) => [
      { op: 'test', path: '/metadata/resourceVersion', value: version },
      { op: 'add', path: '/metadata/finalizers', value: ['a.b/c'] },
    ];
    const refused = await kube.patch(ONE, guarded('1'), JSON_PATCH);
    expect(refused.body).toMatchObject({
      code: 422,
      reason: 'Invalid',
      details: {},
      message: 'the server rejected our request due to an error in our request',
    });
    const applied = await kube.patch(ONE, guarded(kube.kube.resourceVersion), JSON_PATCH);
    expect(applied.body.metadata.finalizers).toEqual(['a.b/c']);
  });

  it('should refuse a merge patch of another version', async () => {
    const { body } = await kube.patch(ONE, { metadata: { resourceVersion: '1' }, spec: { size: '4G' } });
    expect(body).toMatchObject({ code: 409, reason: 'Conflict' });
  });

  it('should take strategic patches only for built-in kinds', async () => {
    expect((await kube.patch(ONE, {}, STRATEGIC_PATCH)).status).toBe(415);
    await kube.post('/api/v1/namespaces/default/pods', {
      metadata: { name: 'p' },
      spec: { containers: [{ name: 'a', image: 'i:1' }] },
    });
    const patch = { metadata: { labels: { x: 'y' } }, spec: { containers: [{ name: 'a', image: 'i:2' }] } };
    const { body } = await kube.patch('/api/v1/namespaces/default/pods/p', patch, STRATEGIC_PATCH);
    expect(body.spec.containers).toHaveLength(1);
    expect(body.spec.containers[0]).toMatchObject({
      name: 'a',
      image: 'i:2',
      terminationMessagePath: '/dev/termination-log',
    });
  });

  it('should not lose concurrent changes', async () => {
    await Promise.all(
      Array.from({ length: 50 }, (_, index) => kube.patch(ONE, { metadata: { annotations: { [`a${index}`]: 'x' } } })),
    );
    expect(Object.keys((await kube.get(ONE)).body.metadata.annotations)).toHaveLength(50);
  });

  it('should keep objects in the order and form of the real server', async () => {
    const { text } = await kube.patch(ONE, {
      spec: { free: { z: 1, a: { y: 1, b: 2 } } },
      metadata: { labels: { z: '1', a: '2' } },
    });
    expect(text).toMatch(
      /"labels":\{"a":"2","z":"1"\}.*"spec":\{"color":"red","free":\{"a":\{"b":2,"y":1\},"z":1\},"size":"1G"\}/,
    );
    const map = await kube.post(MAPS, {
      data: { b: '1', a: '2' },
      metadata: { labels: {}, name: 'm' },
      kind: 'ConfigMap',
    });
    expect(map.text).toMatch(
      /^\{"kind":"ConfigMap","apiVersion":"v1","metadata":\{"name":"m",.*\},"data":\{"a":"2","b":"1"\}\}$/,
    );
  });

  it('should warn of finalizers that others could use', async () => {
    const { headers } = await kube.patch(ONE, { metadata: { finalizers: ['bad'] } });
    expect(headers['warning']).toContain('prefer a domain-qualified finalizer name');
  });
});

describe('deleting', () => {
  beforeEach(() => kube.post(WIDGETS_PATH, widget('one')));

  it('should remove an object and say so', async () => {
    const { status, body } = await kube.delete(ONE);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      kind: 'Status',
      status: 'Success',
      details: { name: 'one', group: 'example.com', kind: 'widgets' },
    });
    expect((await kube.get(ONE)).status).toBe(404);
  });

  it('should wait for the finalizers', async () => {
    await kube.patch(ONE, { metadata: { finalizers: ['a.b/c'] } });
    const marked = await kube.delete(ONE);
    expect(marked.body.metadata).toMatchObject({
      deletionTimestamp: '2020-12-31T23:59:59Z',
      deletionGracePeriodSeconds: 0,
      generation: 2,
    });
    const version = kube.kube.resourceVersion;
    expect((await kube.delete(ONE)).body.metadata.resourceVersion).toBe(version);
    const added = await kube.patch(ONE, { metadata: { finalizers: ['a.b/c', 'a.b/d'] } });
    expect(added.body.message).toContain(
      'no new finalizers can be added if the object is being deleted, found new finalizers []string{"a.b/d"}',
    );
    expect((await kube.post(WIDGETS_PATH, widget('one'))).body.message).toBe(
      'object is being deleted: widgets.example.com "one" already exists',
    );
    expect(
      (await kube.patch(ONE, { metadata: { deletionTimestamp: null } })).body.metadata.deletionTimestamp,
    ).toBeDefined();
    expect((await kube.patch(ONE, { metadata: { finalizers: null } })).status).toBe(200);
    expect((await kube.get(ONE)).status).toBe(404);
  });

  it.each([
    ['2020-12-31T23:59:59.000000Z', 200],
    ['2021-01-01T00:59:59+01:00', 200],
    ['2020-12-31T23:59:58Z', 422],
  ])('should compare the time of a deletion as a time: %s', async (deletionTimestamp, status) => {
    await kube.patch(ONE, { metadata: { finalizers: ['a.b/c'] } });
    const { body } = await kube.delete(ONE);
    const changed = { ...body, metadata: { ...body.metadata, deletionTimestamp, annotations: { a: 'b' } } };
    const answer = await kube.put(ONE, changed);
    expect(answer.status).toBe(status);
    if (status === 200) expect(answer.body.metadata.deletionTimestamp).toBe('2020-12-31T23:59:59Z');
  });

  it('should delete a collection by labels', async () => {
    await kube.post(WIDGETS_PATH, widget('two', { size: '1G' }, { labels: { a: 'b' } }));
    const { body } = await kube.delete(`${WIDGETS_PATH}?labelSelector=a%3Db`);
    expect(body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name)).toEqual(['two']);
    expect((await kube.get(WIDGETS_PATH)).body.items).toHaveLength(1);
  });

  it('should give a running pod its grace period, and shorten it on demand', async () => {
    const pod = '/api/v1/namespaces/default/pods/p';
    const spec = { nodeName: 'n', containers: [{ name: 'a', image: 'i' }] };
    await kube.post('/api/v1/namespaces/default/pods', { metadata: { name: 'p' }, spec });
    const { body } = await kube.delete(pod);
    expect(body.metadata).toMatchObject({ deletionTimestamp: '2021-01-01T00:00:29Z', deletionGracePeriodSeconds: 30 });
    expect((await kube.delete(pod, { gracePeriodSeconds: 0 })).status).toBe(200);
    expect((await kube.get(pod)).status).toBe(404);
  });
});
