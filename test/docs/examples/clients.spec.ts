import { startWithDisks } from '../../support/operators/disks.js';
import { OperatorHarness } from '../../support/operators/operator.harness.js';
import { LockService, PodModule, RolloutService, ScalingService } from './clients.example.js';

const DEPLOYMENTS = '/apis/apps/v1/namespaces/ns/deployments';

async function start(): Promise<OperatorHarness> {
  const harness = await startWithDisks();
  const labels = { app: 'web' };
  const spec = {
    replicas: 2,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'nginx' }] } },
  };
  for (const name of ['a', 'b']) await harness.send('POST', DEPLOYMENTS, { metadata: { name, labels }, spec });
  await harness.run([ScalingService, RolloutService], { imports: [PodModule] });
  return harness;
}

describe('The examples of clients', () => {
  it('should read and change objects of any kind', async () => {
    const harness = await start();
    const service = harness.get<ScalingService>(ScalingService);
    expect(await service.scale('ns', 'a', 5)).toBe(true);
    expect(await service.scale('ns', 'a', 5)).toBe(false);
    expect(await service.scale('ns', 'nothing', 5)).toBe(false);
    expect(await service.countReplicas('app=web')).toBe(7);
    expect(await service.countReplicas('app=other')).toBe(0);
  });

  it('should watch objects', async () => {
    const harness = await start();
    const service = harness.get<RolloutService>(RolloutService);
    const signal = new AbortController().signal;
    const ready = service.waitUntilReady('ns', 'a', signal);
    const gone = service.waitUntilReady('ns', 'b', signal);
    const aborted = service.waitUntilReady('ns', 'b', AbortSignal.abort());
    await harness.advance(1);
    await harness.send('PATCH', `${DEPLOYMENTS}/a/status`, { status: { replicas: 2, readyReplicas: 1 } });
    await harness.send('PATCH', `${DEPLOYMENTS}/a/status`, { status: { replicas: 2, readyReplicas: 2 } });
    await harness.send('DELETE', `${DEPLOYMENTS}/b`);
    await harness.advance(1);
    expect(await Promise.all([ready, gone, aborted])).toEqual([true, false, false]);
  });

  it('should use the typed APIs', async () => {
    const harness = await start();
    await harness.send('POST', '/api/v1/namespaces/ns/pods', {
      metadata: { name: 'there', labels: { app: 'web' } },
      spec: { containers: [{ name: 'main', image: 'nginx' }] },
    });
    for (const name of ['there', 'new']) await harness.create(name);
    await harness.advance(1);
    const labelsOf = async (name: string) =>
      (await harness.send('GET', `/api/v1/namespaces/ns/pods/${name}`)).metadata.labels;
    expect(await labelsOf('there')).toEqual({ app: 'web', 'served-by': 'operator' });
    expect(await labelsOf('new')).toEqual({ 'served-by': 'operator' });
  });

  it('should recognise what they have created themselves', async () => {
    const harness = await startWithDisks();
    let losses = 0;
    await harness.run(LockService, {
      networking: { errorBackoffs: [0] },
      intercept: async ({ method, path, body }) => {
        if (method !== 'POST' || losses-- <= 0) return undefined;
        await harness.send(method, path, JSON.parse(body!) as object);
        throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
      },
    });
    const service = harness.get<LockService>(LockService);
    const lock = async (name: string, holder: string): Promise<boolean> => {
      const locked = service.lock(name, holder);
      await harness.advance(1);
      return locked;
    };
    expect([await lock('plain', 'me'), await lock('plain', 'me')]).toEqual([true, false]);
    await harness.send('POST', '/api/v1/namespaces/default/configmaps', {
      metadata: { name: 'other' },
      data: { holder: 'other' },
    });
    losses = 1;
    expect(await lock('lost', 'me')).toBe(true);
    expect(await lock('other', 'me')).toBe(false);
  });
});
