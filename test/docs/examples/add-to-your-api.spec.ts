import { OperatorHarness } from '../../support/operator.harness.js';
import { runApplication } from '../support/module.harness.js';
import { AppModule, listen, PodsController, TeamsController } from './add-to-your-api.example.js';

describe('The example of an API that gains an operator', () => {
  let harness: OperatorHarness;

  beforeEach(async () => {
    harness = await OperatorHarness.start();
  });

  it('should keep the service in step with the cluster', async () => {
    await harness.send('PATCH', '/api/v1/namespaces/other', { metadata: { labels: { quota: '3' } } });
    const application = await runApplication(harness, AppModule);
    const controller = application.get(TeamsController);
    await harness.advance(10);
    expect(controller.list()).toEqual([{ id: 'other', quota: 3 }]);
    await harness.send('PATCH', '/api/v1/namespaces/other', { metadata: { labels: { quota: '5' } } });
    await harness.advance(10);
    expect(controller.list()).toEqual([{ id: 'other', quota: 5 }]);
    await harness.send('DELETE', '/api/v1/namespaces/other');
    await harness.advance(30);
    expect(controller.list()).toEqual([]);
  });

  it('should answer from the index', async () => {
    const pod = { metadata: { name: 'web' }, spec: { containers: [{ name: 'main', image: 'image' }] } };
    await harness.send('POST', '/api/v1/namespaces/ns/pods', pod);
    const application = await runApplication(harness, AppModule);
    expect(application.get(PodsController).list('ns')).toEqual(['web']);
    expect(application.get(PodsController).list('nothing')).toEqual([]);
  });

  it('should leave the probes out of the prefix', async () => {
    const calls: unknown[][] = [];
    const app = new Proxy({} as Parameters<typeof listen>[0], {
      get: (_, name) => (name === 'then' ? undefined : (...args: unknown[]) => void calls.push([name, ...args])),
    });
    await listen(app);
    expect(calls).toEqual([
      ['setGlobalPrefix', 'api', { exclude: ['healthz', 'readyz'] }],
      ['enableShutdownHooks'],
      ['listen', 3000],
    ]);
  });
});
