import { Cluster, DEPLOYMENTS, PODS, selector, template } from '../workloads/workloads.spec-support.js';

let cluster: Cluster;
const create = (name: string, spec: object = {}) =>
  cluster.create(PODS, { metadata: { name, labels: { app: 'web' } }, spec: { ...template().spec, ...spec } });
const container = (name: string) => cluster.status(PODS, name).containerStatuses[0];
const logs = async (name: string, query = ''): Promise<string> => {
  const path = `/api/v1/namespaces/default/pods/${name}/log${query}`;
  return (await cluster.kube.transport().request({ method: 'GET', path, headers: {} })).text();
};

beforeEach(async () => {
  cluster = await Cluster.start({ pods: { events: true } });
});
afterEach(() => cluster.kube.stop());

describe('SimulatedPods', () => {
  it('should let a container fail, and restart it with longer and longer pauses', async () => {
    await create('web');
    await cluster.clock.advance(2000);
    await cluster.kube.pods.fail('web', { reason: 'OOMKilled' });
    expect(container('web')).toMatchObject({
      restartCount: 1,
      ready: true,
      state: { running: {} },
      lastState: { terminated: { reason: 'OOMKilled', exitCode: 137 } },
    });
    await cluster.kube.pods.fail('default/web', { exitCode: 3, message: 'no more' });
    expect(container('web')).toMatchObject({
      ready: false,
      state: { waiting: { reason: 'CrashLoopBackOff' } },
      lastState: { terminated: { reason: 'Error', exitCode: 3, message: 'no more' } },
    });
    await cluster.clock.advance(15_000);
    expect(container('web')).toMatchObject({ restartCount: 2, ready: true, state: { running: {} } });
    expect(cluster.events('Pod')).toContainEqual(
      expect.stringMatching(/^BackOff: Back-off restarting failed container main in pod web_default\(/),
    );
  });

  it('should end pods that are not restarted', async () => {
    for (const name of ['good', 'bad']) await create(name, { restartPolicy: 'Never' });
    await cluster.clock.advance(2000);
    await cluster.kube.pods.succeed('good');
    await cluster.kube.pods.fail('bad');
    expect([cluster.status(PODS, 'good').phase, cluster.status(PODS, 'bad').phase]).toEqual(['Succeeded', 'Failed']);
  });

  it('should evict pods, which their workload replaces', async () => {
    await cluster.create(DEPLOYMENTS, { metadata: { name: 'web' }, spec: { selector, template: template() } });
    await cluster.clock.advance(2000);
    const [name] = cluster.names(PODS);
    await cluster.kube.pods.fail(
      { labels: { app: 'web' } },
      { reason: 'Evicted', message: 'The node was low on memory.' },
    );
    await cluster.clock.advance(2000);
    expect(cluster.status(PODS, name)).toMatchObject({ phase: 'Failed', reason: 'Evicted' });
    expect(cluster.names(PODS)).toHaveLength(2);
    expect(cluster.status(DEPLOYMENTS, 'web')).toMatchObject({ readyReplicas: 1 });
  });

  it('should hold back the start of pods until the script is taken back', async () => {
    const release = cluster.kube.pods.script('web', { waiting: { reason: 'ImagePullBackOff' } });
    await create('web');
    await cluster.clock.advance(2000);
    expect(cluster.status(PODS, 'web')).toMatchObject({ phase: 'Pending' });
    expect(container('web')).toMatchObject({ state: { waiting: { reason: 'ImagePullBackOff' } } });
    release();
    await cluster.clock.advance(2000);
    expect(cluster.status(PODS, 'web')).toMatchObject({ phase: 'Running' });
  });

  it('should follow the pace and the readiness of a script', async () => {
    const undo = cluster.kube.pods.script({ labels: { app: 'web' } }, { startSeconds: 30, ready: false });
    await create('web');
    await cluster.clock.advance(29_000);
    expect(cluster.status(PODS, 'web').phase).toBe('Pending');
    await cluster.clock.advance(2000);
    expect(container('web')).toMatchObject({ ready: false, state: { running: {} } });
    undo();
    await cluster.clock.advance(1);
    expect(container('web')).toMatchObject({ ready: true });
  });

  it('should take as long to stop a pod as is set, at any fraction of a second', async () => {
    await create('web');
    await cluster.clock.advance(2900);
    await cluster.delete(PODS, 'web');
    await cluster.clock.advance(99);
    expect(cluster.names(PODS)).toEqual(['web']);
    await cluster.clock.advance(1);
    expect(cluster.names(PODS)).toEqual([]);
  });

  it('should refuse to do anything to pods that are not there, or not simulated', async () => {
    await expect(cluster.kube.pods.fail('none')).rejects.toThrow('No pod matches "none"');
    await cluster.kube.stop();
    cluster = await Cluster.start({ pods: false });
    await expect(cluster.kube.pods.fail('none')).rejects.toThrow('Pods are not simulated');
  });

  it('should print what a test sets as the log', async () => {
    await create('web');
    cluster.kube.pods.log('web', 'one\ntwo\nthree\n');
    expect([await logs('web'), await logs('web', '?tailLines=1'), await logs('web', '?limitBytes=5')]).toEqual([
      'one\ntwo\nthree\n',
      'three\n',
      'one\nt',
    ]);
    cluster.kube.pods.log('web', ({ previous }) => (previous ? 'before\n' : 'now\n'), 'main');
    expect([await logs('web'), await logs('web', '?previous=true')]).toEqual(['now\n', 'before\n']);
    expect(await logs('web', '?container=other')).toContain('container other is not valid for pod web');
  });

  it('should print times to the nanosecond, and find lines by whole seconds', async () => {
    await create('web');
    await cluster.clock.advance(2000);
    const print = async (text: string): Promise<void> => {
      cluster.kube.pods.print('web', text);
      await cluster.clock.advance(600);
    };
    for (const text of ['a\nb\nc', 'd\n', 'e\n']) await print(text);
    const lines = (await logs('web', '?timestamps=true')).split('\n');
    expect(lines.map((line) => line.replace(/^\S*:(\d\d\.\d+Z) /, '$1 '))).toEqual([
      '01.000000000Z a',
      '01.000000001Z b',
      '01.000000002Z cd',
      '02.200000000Z e',
      '',
    ]);
    const [at] = lines[3].split(' ');
    expect(await logs('web', `?sinceTime=${at}`)).toBe('e\n');
    expect(await logs('web', '?sinceTime=yesterday')).toContain('parsing time');
    await cluster.clock.advance(5000);
    expect([await logs('web', '?sinceSeconds=5'), await logs('web', '?sinceSeconds=60&tailLines=2')]).toEqual([
      'e\n',
      'cd\ne\n',
    ]);
  });

  it('should keep the log of the run before a restart, and forget what was rotated away', async () => {
    await create('web');
    await cluster.clock.advance(2000);
    cluster.kube.pods.print('web', 'rotated\n');
    cluster.kube.pods.rotateLog('web');
    cluster.kube.pods.print('web', 'last words\n');
    await cluster.kube.pods.fail('web');
    cluster.kube.pods.print('web', 'again\n');
    expect([await logs('web'), await logs('web', '?previous=true')]).toEqual(['again\n', 'last words\n']);
    expect(container('web').lastState.terminated.containerID).toMatch(/\/main\/0$/);
  });

  it('should break the streams of those who follow a log', async () => {
    await create('web');
    await cluster.clock.advance(2000);
    const path = '/api/v1/namespaces/default/pods/web/log?follow=true';
    const follow = () => cluster.kube.transport().request({ method: 'GET', path, headers: {} });
    const [one, other] = [await follow(), await follow()];
    cluster.kube.pods.print('web', 'line\n');
    const text = one.text();
    await cluster.clock.advance(1);
    expect(cluster.kube.faults.damageLogs('end', { name: 'web' })).toBe(2);
    expect(await text).toBe('line\n');
    expect(await other.text()).toBe('');
  });
});
