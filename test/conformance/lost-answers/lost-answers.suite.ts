import {
  ApiConflictError,
  ConnectionError,
  KubeClient,
  type KubeObject,
  type KubeRequest,
  type KubeResponse,
  type KubeTransport,
} from 'nestjs-kopf';
import { SeededRandom } from 'nestjs-kopf/testing';
import { KubeApi } from '../../../libs/kopf/src/client/api/api.client.js';
import { EventsClient } from '../../../libs/kopf/src/client/api/events.client.js';
import { HttpTransport } from '../../../libs/kopf/src/client/http/http.transport.js';
import { Vault } from '../../../libs/kopf/src/client/vault/vault.js';
import { KopfSettings } from '../../../libs/kopf/src/settings/kopf.settings.js';
import { SystemClock } from 'kube-common';
import { failure } from '../../support/time/eventually.js';
import { MemoryLogger } from '../../support/telemetry/memory.logger.js';
import type { TestCluster } from '../test.cluster.js';

/** Carries out all requests, and loses the answers to as many writing ones as it is told. */
class LossyTransport implements KubeTransport {
  losses = 0;

  constructor(private readonly transport: KubeTransport) {}

  async request(request: KubeRequest): Promise<KubeResponse> {
    const response = await this.transport.request(request);
    if (request.method === 'GET' || this.losses === 0) return response;
    this.losses -= 1;
    await response.text();
    throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' });
  }

  close(): Promise<void> {
    return this.transport.close();
  }
}

/** Declares the tests of clients on a cluster where the responses to their requests are lost. */
export function describeLostAnswers(name: string, start: () => Promise<TestCluster>): void {
  describe(name, () => {
    let cluster: TestCluster;
    let transport: LossyTransport;
    let vault: Vault;
    let client: KubeClient;
    let events: EventsClient;

    beforeAll(async () => {
      cluster = await start();
      const settings = new KopfSettings();
      settings.networking.errorBackoffs = [0, 0, 0];
      const tools = { clock: new SystemClock(), random: new SeededRandom(1), logger: new MemoryLogger() };
      transport = new LossyTransport(new HttpTransport(cluster.credentials, settings, tools.clock));
      vault = new Vault({
        ...tools,
        login: async () => new Map([['test', cluster.credentials]]),
        createTransport: () => transport,
      });
      const api = new KubeApi(vault, settings.networking, tools.clock, tools.logger);
      client = new KubeClient({ api, settings, ...tools });
      events = new EventsClient(api, settings.posting, tools.clock, tools.logger);
    });

    afterAll(async () => {
      await vault.close();
      await cluster.stop();
    });

    const makeMap = (metadata: KubeObject['metadata'], data = {}): KubeObject => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace: 'default', ...metadata },
      data,
    });

    const listMaps = async (label: string): Promise<readonly KubeObject[]> =>
      (await client.list('configmaps.v1', { namespace: 'default', labelSelector: `test=${label}` })).items;

    it.each([0, 1, 3])('should create one object of a generated name when %i answers are lost', async (losses) => {
      const labels = { test: `generated-${losses}` };
      transport.losses = losses;
      const created = await client.create(makeMap({ generateName: 'made-', labels }));
      expect(created.metadata).toMatchObject({ generateName: 'made-', name: expect.stringMatching(/^made-\w{5}$/) });
      const found = await listMaps(labels.test);
      expect(found.map(({ metadata }) => metadata.uid)).toEqual([created.metadata.uid]);
    });

    it('should take another name where the generated one is taken', async () => {
      const taken = await client.create(makeMap({ generateName: 'twice-' }));
      const settings = new KopfSettings();
      const tools = { clock: new SystemClock(), logger: new MemoryLogger() };
      const api = new KubeApi(vault, settings.networking, tools.clock, tools.logger);
      // The name of the first one comes again, and then others.
      const letters = 'bcdfghjklmnpqrstvwxz2456789';
      const suffix = taken.metadata.name!.slice(-5);
      const indices = Array.from(suffix, (letter) => letters.indexOf(letter) / letters.length);
      const random = { next: () => indices.shift() ?? 0.5 };
      const created = await new KubeClient({ api, settings, random, ...tools }).create(
        makeMap({ generateName: 'twice-' }),
      );
      expect(created.metadata.name).not.toBe(taken.metadata.name);
    });

    it('should tell that an object of a given name may be its own', async () => {
      transport.losses = 1;
      const error = await failure(client.create(makeMap({ name: 'given' })));
      expect(error).toBeInstanceOf(ApiConflictError);
      expect(error).toMatchObject({ reason: 'AlreadyExists', afterLostAnswer: true });
      expect(await failure(client.create(makeMap({ name: 'given' })))).toMatchObject({ afterLostAnswer: false });
    });

    it('should count an object as deleted whose deletion was not answered', async () => {
      await client.create(makeMap({ name: 'deleted' }));
      transport.losses = 1;
      await client.delete('configmaps.v1', 'deleted', { namespace: 'default' });
      expect(await failure(client.delete('configmaps.v1', 'deleted', { namespace: 'default' }))).toMatchObject({
        status: 404,
      });
    });

    it('should not append an item twice', async () => {
      const containers = [{ name: 'main', image: 'main:1' }];
      const tolerations = [{ key: 'first', operator: 'Exists' }];
      const template = { metadata: { labels: { app: 'a' } }, spec: { containers, tolerations } };
      const spec = { replicas: 0, selector: { matchLabels: { app: 'a' } }, template };
      await client.create({
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'a', namespace: 'default' },
        spec,
      });
      const options = { namespace: 'default', type: 'json' } as const;
      const value = { key: 'second', operator: 'Exists' };
      const append = [{ op: 'add', path: '/spec/template/spec/tolerations/-', value }];
      transport.losses = 1;
      expect(await failure(client.patch('deployments.apps', 'a', append, options))).toBeInstanceOf(ConnectionError);
      const deployment = await client.get('deployments.apps', 'a', { namespace: 'default' });
      expect(deployment.spec.template.spec.tolerations.length).toBe(2);
    });

    it('should apply a patch for one version once, and tell that it may have been applied', async () => {
      const { metadata } = await client.create(makeMap({ name: 'guarded' }, { a: '1' }));
      transport.losses = 1;
      const patch = [
        { op: 'test', path: '/metadata/resourceVersion', value: metadata.resourceVersion },
        { op: 'replace', path: '/data/a', value: '2' },
      ];
      const error = await failure(
        client.patch('configmaps.v1', 'guarded', patch, { namespace: 'default', type: 'json' }),
      );
      expect(error).toMatchObject({ status: 422, afterLostAnswer: true });
      expect((await client.get('configmaps.v1', 'guarded', { namespace: 'default' })).data).toEqual({ a: '2' });
    });

    it('should repeat a merge patch, which has the same effect twice', async () => {
      await client.create(makeMap({ name: 'merged' }, { a: '1' }));
      transport.losses = 2;
      const merged = await client.patch('configmaps.v1', 'merged', { data: { b: '2' } }, { namespace: 'default' });
      expect(merged.data).toEqual({ a: '1', b: '2' });
    });

    it('should not post an event twice', async () => {
      const about = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'given', namespace: 'default' } };
      transport.losses = 1;
      await events.post({ about, type: 'Normal', reason: 'Lost', message: 'once' });
      const { items } = await client.list('events.v1', { namespace: 'default' });
      expect(items.filter(({ reason }) => reason === 'Lost').length).toBe(1);
    });
  });
}
