import { Harness, widget, WIDGETS, DEFINITIONS_PATH, WIDGETS_PATH } from '../harness.spec-support.js';

const PATH = '/api/v1/namespaces/default/configmaps';
const CONFIG_MAPS = { group: '', plural: 'configmaps' };
const map = (name: string, data: Record<string, string> = {}, metadata: object = {}) => ({
  metadata: { name, ...metadata },
  data,
});
const AGENT = { 'user-agent': 'my-operator/1.0' };

let cluster: Harness;

beforeEach(async () => {
  cluster = await Harness.start({ history: true, users: { alices: { name: 'alice', groups: [] } } });
});
afterEach(() => cluster.kube.stop());

describe('the history', () => {
  it('should have the requests, who has sent them, and what they have changed', async () => {
    const { history } = cluster.kube;
    await cluster.request('POST', PATH, map('a'), { ...AGENT, authorization: 'Bearer alices' });
    await cluster.patch(`${PATH}/a`, { data: { key: 'value' } });
    await cluster.patch(`${PATH}/a`, { data: { key: 'value' } });
    await cluster.get(`${PATH}/b`);
    await cluster.request('GET', PATH, undefined, { authorization: 'Bearer nobodys' });
    const seen = history.requests().map((each) => ({ ...each, changes: each.changes.map(({ type }) => type) }));
    expect(seen).toMatchObject([
      { number: 1, verb: 'create', user: 'alice', userAgent: 'my-operator/1.0', status: 201, changes: ['ADDED'] },
      { number: 2, verb: 'patch', user: 'admin', name: 'a', body: '{"data":{"key":"value"}}', changes: ['MODIFIED'] },
      { number: 3, verb: 'patch', status: 200, changes: [] },
      { number: 4, verb: 'get', name: 'b', status: 404, changes: [] },
      { number: 5, verb: 'list', user: '', status: 401, changes: [] },
    ]);
    expect(seen.map(({ headers }) => headers['authorization'])).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    const numbers = (match: Parameters<typeof history.requests>[0]) =>
      history.requests(match).map((each) => each.number);
    expect(numbers({ verb: 'patch', hasChanged: false })).toEqual([3]);
    expect(numbers({ userAgent: /^my-operator/ })).toEqual([1]);
    expect(numbers({ user: 'admin', hasChanged: true })).toEqual([2]);
    expect(numbers({ status: 404 })).toEqual([4]);
  });

  it('should tell of changes as they are stored', async () => {
    const { kube } = cluster;
    const told: string[] = [];
    kube.history.start({ onChange: ({ type, name, userAgent }) => void told.push(`${type} ${name} ${userAgent}`) });
    await cluster.request('POST', PATH, map('a'), AGENT);
    await kube.client.delete(CONFIG_MAPS, 'default', 'a');
    expect(told).toEqual(['ADDED a my-operator/1.0', 'DELETED a embedded-kube']);
  });

  it('should have the states of an object, and who has made them', async () => {
    const { kube } = cluster;
    await cluster.request('POST', PATH, map('a', { size: '1' }), AGENT);
    await cluster.clock.advance(5000);
    await kube.client.patch(CONFIG_MAPS, 'default', 'a', { data: { size: '2' } });
    await cluster.post(PATH, map('b'));
    await cluster.delete(`${PATH}/a`);
    const changes = kube.history.changes({ resource: 'configmaps', name: 'a' });
    expect(changes).toMatchObject([
      { type: 'ADDED', userAgent: 'my-operator/1.0', object: { data: { size: '1' } }, request: { number: 1 } },
      {
        type: 'MODIFIED',
        userAgent: 'embedded-kube',
        object: { data: { size: '2' } },
        previous: { data: { size: '1' } },
      },
      { type: 'DELETED', user: 'admin', namespace: 'default', resourceVersion: kube.resourceVersion },
    ]);
    expect(changes[1]!.request).toBeUndefined();
    expect(changes[1]!.time - changes[0]!.time).toBe(5000);
    expect(kube.history.changes({ userAgent: /operator/ })).toHaveLength(1);
  });

  it('should tell what controllers do from what clients do', async () => {
    const { kube, clock } = cluster;
    const { body } = await cluster.request('POST', PATH, map('owner'), AGENT);
    const owner = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      name: 'owner',
      uid: (body as { metadata: { uid: string } }).metadata.uid,
    };
    await cluster.request('POST', PATH, map('child', {}, { ownerReferences: [owner] }), AGENT);
    await cluster.request('DELETE', `${PATH}/owner`, undefined, AGENT);
    await clock.advance(1000);
    expect(kube.history.changes({ type: 'DELETED' })).toMatchObject([
      { name: 'owner', userAgent: 'my-operator/1.0' },
      { name: 'child', userAgent: 'kube-controller-manager', user: 'system:kube-controller-manager' },
    ]);
  });

  it('should have requests that met a fault', async () => {
    const { kube } = cluster;
    kube.faults.reject(429, { verb: 'create' });
    kube.faults.cut('after', { verb: 'create' });
    await cluster.post(PATH, map('a'));
    await expect(cluster.post(PATH, map('a'))).rejects.toThrow('reset');
    const [rejected, lost] = kube.history.requests();
    expect([rejected!.status, rejected!.changes.length, lost!.status, lost!.changes.length]).toEqual([
      429,
      0,
      undefined,
      1,
    ]);
  });

  it('should have changes of custom resources, through subresources, and by application', async () => {
    await cluster.post(DEFINITIONS_PATH, WIDGETS);
    cluster.kube.history.clear();
    await cluster.post(WIDGETS_PATH, widget('a'));
    await cluster.patch(`${WIDGETS_PATH}/a/status`, { status: { ready: true } });
    const applied = JSON.stringify({ ...widget('a'), spec: { size: '2G' } });
    await cluster.request('PATCH', `${WIDGETS_PATH}/a?fieldManager=me&force=1`, applied, {
      'content-type': 'application/apply-patch+yaml',
    });
    const changes = cluster.kube.history.changes({ resource: 'widgets.example.com' });
    expect(changes.map(({ request }) => request?.subresource)).toEqual(['', 'status', '']);
  });

  it('should begin and end when it is told to, and keep so much', async () => {
    const { history } = cluster.kube;
    history.stop();
    await cluster.post(PATH, map('unseen'));
    expect([history.isRecording, history.requests(), history.changes()]).toEqual([false, [], []]);
    history.start({ limit: 2 });
    for (const name of ['a', 'b', 'c', 'd', 'e']) await cluster.post(PATH, map(name));
    expect(history.requests().map(({ number }) => number)).toEqual([4, 5]);
    expect(history.changes().map(({ name }) => name)).toEqual(['d', 'e']);
    history.stop();
    await cluster.post(PATH, map('late'));
    expect(history.changes()).toHaveLength(2);
  });
});
