import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  ClusterRecorder,
  ClusterRecording,
  ClusterReplay,
  EmbeddedKube,
  KubeconfigTransport,
  type KubeSnapshot,
} from 'embedded-kube';

const CONFIG_MAPS = { group: '', plural: 'configmaps' };

// #region snapshots
describe('volumes', () => {
  let settled: KubeSnapshot;
  let kube: EmbeddedKube;

  beforeAll(async () => {
    const prepared = await EmbeddedKube.start({ port: false });
    await prepared.client.create(CONFIG_MAPS, 'default', { metadata: { name: 'settings' }, data: { size: '1Gi' } });
    settled = prepared.snapshot();
    await prepared.stop();
  });
  beforeEach(async () => {
    kube = await EmbeddedKube.start({ port: false, snapshot: settled });
  });
  afterEach(() => kube.stop());

  it('should be resized', async () => {
    await kube.client.patch(CONFIG_MAPS, 'default', 'settings', { data: { size: '2Gi' } });
    expect(kube.client.get(CONFIG_MAPS, 'default', 'settings')).toMatchObject({ data: { size: '2Gi' } });
  });

  it('should begin small again', () => {
    expect(kube.client.get(CONFIG_MAPS, 'default', 'settings')).toMatchObject({ data: { size: '1Gi' } });
  });
});
// #endregion

// #region lag
it('should not show what has happened to a client that is behind', async () => {
  const kube = await EmbeddedKube.start({ port: false });
  await kube.client.create(CONFIG_MAPS, 'default', { metadata: { name: 'settings' }, data: { size: '1Gi' } });
  const lag = kube.faults.lag({ userAgent: /^my-operator/ });
  await kube.client.patch(CONFIG_MAPS, 'default', 'settings', { data: { size: '2Gi' } });

  const read = async (query: string): Promise<object> => {
    const path = `/api/v1/namespaces/default/configmaps/settings${query}`;
    const response = await kube
      .transport()
      .request({ method: 'GET', path, headers: { 'user-agent': 'my-operator/1.0' } });
    return JSON.parse(await response.text()) as object;
  };
  expect(await read('?resourceVersion=0')).toMatchObject({ data: { size: '1Gi' } });
  expect(await read('')).toMatchObject({ data: { size: '2Gi' } });

  lag.cancel();
  expect(await read('?resourceVersion=0')).toMatchObject({ data: { size: '2Gi' } });
  await kube.stop();
});
// #endregion

// #region history
it('should not write what is there already', async () => {
  const kube = await EmbeddedKube.start({ port: false, history: true });
  const headers = { 'user-agent': 'my-operator/1.0', 'content-type': 'application/merge-patch+json' };
  const path = '/api/v1/namespaces/default/configmaps/settings';
  const body = JSON.stringify({ data: { size: '2Gi' } });
  await kube.client.create(CONFIG_MAPS, 'default', { metadata: { name: 'settings' }, data: { size: '1Gi' } });
  await kube.transport().request({ method: 'PATCH', path, headers, body });

  // Nothing was written in vain, and the object went through these states:
  expect(kube.history.requests({ userAgent: /^my-operator/, verb: 'patch', hasChanged: false })).toEqual([]);
  const states = kube.history.changes({ resource: 'configmaps', name: 'settings' });
  expect(states.map(({ userAgent, object }) => [userAgent, object['data']])).toEqual([
    ['embedded-kube', { size: '1Gi' }],
    ['my-operator/1.0', { size: '2Gi' }],
  ]);
  await kube.stop();
});
// #endregion

// #region shards
it('should divide the objects between two replicas', async () => {
  const kube = await EmbeddedKube.start({ port: false, featureGates: { ShardedListAndWatch: true } });
  for (const name of ['a', 'b', 'c', 'd']) await kube.client.create(CONFIG_MAPS, 'default', { metadata: { name } });

  const listed = async (start: string, end: string): Promise<readonly object[]> => {
    const selector = encodeURIComponent(`shardRange(object.metadata.uid, '${start}', '${end}')`);
    const path = `/api/v1/namespaces/default/configmaps?shardSelector=${selector}`;
    const response = await kube.transport().request({ method: 'GET', path, headers: {} });
    return (JSON.parse(await response.text()) as { items: object[] }).items;
  };
  const first = await listed('0x0000000000000000', '0x8000000000000000');
  const second = await listed('0x8000000000000000', '0x10000000000000000');
  expect(first.length + second.length).toBe(kube.client.list(CONFIG_MAPS, 'default').length);
  await kube.stop();
});
// #endregion

// #region recording
it('should answer as the cluster has answered', async () => {
  const cluster = await EmbeddedKube.start(); // any cluster will do
  const recorder = new ClusterRecorder(new KubeconfigTransport(cluster.kubeconfig));
  const path = '/api/v1/namespaces/default/configmaps';
  const body = JSON.stringify({ metadata: { name: 'settings' } });
  const headers = { 'content-type': 'application/json' };
  const created = await recorder.request({ method: 'POST', path, headers, body });
  const recorded = recorder.recording.text; // for a file
  await recorder.close();
  await cluster.stop();

  const replay = new ClusterReplay(ClusterRecording.parse(recorded));
  const replayed = await replay.request({ method: 'POST', path, headers, body });
  expect(await replayed.text()).toBe(await created.text());
  expect([replay.unexpected, replay.missing]).toEqual([[], []]);
});
// #endregion

describe('the guide to snapshots, lag, and history', () => {
  const read = (path: string): string => readFileSync(join(import.meta.dirname, path), 'utf8');

  it('should show the tests of this file', () => {
    const shown = [...read('../../libs/embedded-kube/docs/time.md').matchAll(/^```ts (\w+)\n([^]*?)^```$/gm)];
    const run = [...read('./embedded-time.spec.ts').matchAll(/^\/\/ #region (\w+)\n([^]*?)^\/\/ #endregion$/gm)];
    expect(shown.map(([, name, code]) => [name, code])).toEqual(run.map(([, name, code]) => [name, code]));
  });
});
