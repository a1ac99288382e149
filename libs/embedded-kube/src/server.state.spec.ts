import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ObjectEvent } from './controllers/controller.js';
import { EmbeddedKube } from './embedded-kube.js';
import { DEFINITIONS_PATH, Harness, widget, WIDGETS, WIDGETS_PATH } from './harness.spec-support.js';

const CONFIG_MAPS = { group: '', plural: 'configmaps' };
const PODS = { group: '', plural: 'pods' };
const PATH = '/api/v1/namespaces/default/configmaps';
const map = (name: string, data: Record<string, string> = {}) => ({ metadata: { name }, data });
const names = (kube: EmbeddedKube): string[] =>
  kube.client.list(CONFIG_MAPS, 'default').map(({ metadata }) => metadata.name!);

let cluster: Harness;
let others: EmbeddedKube[];

beforeEach(async () => {
  others = [];
  cluster = await Harness.start();
});
afterEach(async () => {
  for (const kube of [...others, cluster.kube]) await kube.stop();
});

const started = async (kube: Promise<EmbeddedKube>): Promise<EmbeddedKube> => {
  others.push(await kube);
  return kube;
};

describe('snapshots', () => {
  it('should go back to the objects, the versions, and the history of a moment', async () => {
    const { kube } = cluster;
    const { resourceVersion: before } = kube;
    await cluster.post(PATH, map('kept', { a: '1' }));
    await cluster.post(PATH, map('deleted'));
    const text = (await cluster.get(PATH)).text;
    const snapshot = kube.snapshot();
    expect(snapshot.resourceVersion).toBe(kube.resourceVersion);

    await cluster.patch(`${PATH}/kept`, { data: { a: '2' } });
    await cluster.delete(`${PATH}/deleted`);
    await cluster.post(PATH, map('added'));
    expect(names(kube)).toEqual(['added', 'kept']);

    await kube.restore(snapshot);
    expect((await cluster.get(PATH)).text).toBe(text);
    const watch = await cluster.watch(`${PATH}?watch=1&resourceVersion=${before}`);
    expect(await watch.summary(2)).toEqual(['ADDED kept', 'ADDED deleted']);
    await watch.close();

    await cluster.post(PATH, map('another'));
    await kube.restore(snapshot);
    expect((await cluster.get(PATH)).text).toBe(text);
  });

  it('should end watches, and tell listeners in the process what is different', async () => {
    const { kube } = cluster;
    await cluster.post(PATH, map('changed', { a: '1' }));
    await cluster.post(PATH, map('deleted'));
    const snapshot = kube.snapshot();
    await cluster.patch(`${PATH}/changed`, { data: { a: '2' } });
    await cluster.delete(`${PATH}/deleted`);
    await cluster.post(PATH, map('added'));
    const watch = await cluster.watch(`${PATH}?watch=1&resourceVersion=${kube.resourceVersion}`);
    const told: string[] = [];
    kube.client.watch(CONFIG_MAPS, ({ type, object }: ObjectEvent) => told.push(`${type} ${object.metadata.name}`));
    await kube.restore(snapshot);
    expect(await watch.next()).toBeUndefined();
    expect(told).toEqual(['DELETED added', 'MODIFIED changed', 'ADDED deleted']);
  });

  it('should serve the definitions of the moment, and no others', async () => {
    const { kube } = cluster;
    const without = kube.snapshot();
    await cluster.post(DEFINITIONS_PATH, WIDGETS);
    await cluster.post(WIDGETS_PATH, widget('a'));
    const withWidgets = kube.snapshot();
    await kube.restore(without);
    expect((await cluster.get(WIDGETS_PATH)).status).toBe(404);
    await kube.restore(withWidgets);
    expect((await cluster.get(`${WIDGETS_PATH}/a`)).body).toMatchObject({ spec: { size: '1G', color: 'red' } });
    expect((await cluster.post(WIDGETS_PATH, widget('b', {}))).status).toBe(422);
  });

  it('should let controllers go on from the moment', async () => {
    const pods = await Harness.start({ pods: true });
    await started(Promise.resolve(pods.kube));
    const { kube, clock } = pods;
    const pod = { metadata: { name: 'web' }, spec: { containers: [{ name: 'main', image: 'web' }] } };
    const phase = () => (kube.client.get(PODS, 'default', 'web')!['status'] as { phase?: string }).phase;
    await kube.client.create(PODS, 'default', pod);
    const pending = kube.snapshot();
    expect(phase()).toBe('Pending');
    await clock.advance(1000);
    expect(phase()).toBe('Running');
    await kube.restore(pending);
    await clock.advance(1000);
    expect(phase()).toBe('Running');
  });

  it('should be where further servers begin, each on its own', async () => {
    await cluster.post(DEFINITIONS_PATH, WIDGETS);
    await cluster.post(WIDGETS_PATH, widget('a'));
    const snapshot = cluster.kube.snapshot();
    await cluster.post(PATH, map('later'));
    const { clock } = cluster;
    const one = await started(EmbeddedKube.start({ port: false, clock, snapshot }));
    const two = await started(EmbeddedKube.start({ port: false, clock, snapshot }));
    expect([one.resourceVersion, two.resourceVersion]).toEqual([snapshot.resourceVersion, snapshot.resourceVersion]);
    await one.client.create(CONFIG_MAPS, 'default', map('one'));
    await one.client.delete({ group: 'example.com', plural: 'widgets' }, 'default', 'a');
    await two.client.create(CONFIG_MAPS, 'default', map('two'));
    expect([names(one), names(two), names(cluster.kube)]).toEqual([['one'], ['two'], ['later']]);
    expect(two.client.get({ group: 'example.com', plural: 'widgets' }, 'default', 'a')).toBeDefined();
  });

  it('should keep tokens valid, those of service accounts included', async () => {
    const account = '/api/v1/namespaces/default/serviceaccounts/default/token';
    const { body } = await cluster.post(account, { spec: { expirationSeconds: 3600 } });
    const fork = await started(cluster.kube.fork());
    expect(fork.token).toBe(cluster.kube.token);
    const review = await fork.transport((body as { status: { token: string } }).status.token).request({
      method: 'GET',
      path: '/api/v1/namespaces',
      headers: {},
    });
    expect(review.status).toBe(200);
  });

  it('should fork with the options of the server, except for those that cannot be shared', async () => {
    const calls: string[] = [];
    const options = {
      users: { guest: { name: 'guest', groups: [] } },
      controllers: [
        {
          name: 'once',
          start: () => void calls.push('start'),
          stop: () => void calls.push('stop'),
        },
      ],
      webhookTransport: {
        post: () => Promise.reject(new Error('nowhere')),
        close: async () => void calls.push('closed'),
      },
    };
    const parent = await started(EmbeddedKube.start({ port: false, clock: cluster.clock, ...options }));
    const fork = await parent.fork();
    const { status } = await fork.transport('guest').request({ method: 'GET', path: '/api', headers: {} });
    await fork.stop();
    expect([status, calls]).toEqual([200, ['start']]);
  });

  it('should be kept in a data folder, but never in place of what is there', async () => {
    const data = mkdtempSync(join(tmpdir(), 'snapshot-'));
    try {
      await cluster.post(PATH, map('kept'));
      const snapshot = cluster.kube.snapshot();
      const first = await EmbeddedKube.start({ port: false, clock: cluster.clock, data, snapshot });
      const { token } = first;
      await first.client.create(CONFIG_MAPS, 'default', map('later'));
      await first.restore(snapshot);
      await first.client.create(CONFIG_MAPS, 'default', map('written'));
      await first.stop();
      await expect(EmbeddedKube.start({ port: false, data, snapshot })).rejects.toThrow(/There are objects already/);
      const again = await started(EmbeddedKube.start({ port: false, clock: cluster.clock, data }));
      expect([names(again), again.token]).toEqual([['kept', 'written'], token]);
    } finally {
      rmSync(data, { recursive: true, force: true });
    }
  });

  it('should not be made by others', async () => {
    await expect(cluster.kube.restore({ resourceVersion: '1' })).rejects.toThrow('not taken by `kube.snapshot()`');
  });
});
