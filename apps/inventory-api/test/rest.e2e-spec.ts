import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedKube } from 'embedded-kube';
import { KopfOperator, type KopfModuleOptions } from 'nestjs-kopf';
import { SeededRandom, VirtualClock } from 'nestjs-kopf/testing';
import { eventually } from '../../../test/support/time/eventually.js';
import { readManifests } from '../../../test/support/clusters/manifests.js';
import { AppModule } from '../src/app.module.js';
import { InventoryModule } from '../src/operator/inventory.module.js';
import { testRest } from './rest.suite.js';
import { KEY, ServedApi } from './served.api.js';

const DEFINITIONS = { group: 'apiextensions.k8s.io', plural: 'customresourcedefinitions' };

describe('The REST API', () => {
  let api: ServedApi;
  let kube: EmbeddedKube | undefined;
  const served = () => api;

  afterAll(() => vi.unstubAllEnvs());

  async function startCluster(clock?: VirtualClock): Promise<KopfModuleOptions> {
    kube = await EmbeddedKube.start({ port: false, ...(clock && { clock, random: new SeededRandom(1) }) });
    await kube.client.create(DEFINITIONS, undefined, readManifests('inventory-api/crd.yaml')[0]);
    return { credentials: { server: kube.url, transport: kube.transport() } };
  }

  describe('without the operator', () => {
    beforeAll(async () => {
      api = await ServedApi.start(AppModule.register({ key: KEY }));
    });
    afterAll(() => api.close());

    it('should have no operator', () => {
      expect(() => api.app.get(KopfOperator)).toThrow('could not find');
    });

    testRest(served);
  });

  describe('with the operator', () => {
    beforeAll(async () => {
      api = await ServedApi.start(InventoryModule.register({ key: KEY }, await startCluster()));
      await api.app.get(KopfOperator).ready();
    });
    afterAll(async () => {
      await api.close();
      await kube?.stop();
    });

    it('should have an operator that works', async () => {
      expect(api.app.get(KopfOperator).state).toBe('running');
      expect((await api.sendOpenly('GET', '/readyz')).status).toBe(200);
    });

    testRest(served);
  });

  describe('without a kubeconfig', () => {
    beforeAll(async () => {
      vi.stubEnv('KUBECONFIG', '');
      vi.stubEnv('HOME', join(tmpdir(), 'nobody-lives-here'));
      api = await ServedApi.start(InventoryModule.register({ key: KEY }));
    });
    afterAll(() => api.close());

    it('should have an operator that says so', async () => {
      await eventually('the operator has failed', () => api.app.get(KopfOperator).state === 'failed');
      const { status, body } = await api.sendOpenly('GET', '/readyz');
      expect(status).toBe(503);
      expect(body.error.kopf.operator.message).toContain('There is no cluster to connect to');
      expect((await api.sendOpenly('GET', '/healthz')).status).toBe(200);
    });

    testRest(served);
  });

  describe('with an API server that goes away and comes back', () => {
    const clock = new VirtualClock();

    beforeAll(async () => {
      const options = await startCluster(clock);
      api = await ServedApi.start(InventoryModule.register({ key: KEY }, { ...options, clock }), clock);
      await clock.runUntil(api.app.get(KopfOperator).ready());
    });
    afterAll(async () => {
      await api.close();
      await clock.runUntil(kube!.stop());
    });

    async function watchers() {
      const { body } = await api.sendOpenly('GET', '/readyz');
      return body.details.kopf.watchers;
    }

    describe('while it is away', () => {
      beforeAll(async () => {
        await clock.runUntil(kube!.faults.goDown());
        await clock.advance(5000);
      });

      it('should have an operator that says so', async () => {
        expect(await watchers()).toMatchObject({
          status: 'degraded',
          impaired: expect.arrayContaining([expect.stringContaining('inventoryitems')]),
        });
      });

      testRest(served);
    });

    describe('when it is back', () => {
      beforeAll(async () => {
        await kube!.faults.comeBack();
        await clock.advance(120_000);
      });

      it('should have an operator that works again', async () => {
        expect(await watchers()).toMatchObject({ status: 'up' });
      });

      testRest(served);
    });
  });
});
