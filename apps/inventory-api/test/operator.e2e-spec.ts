import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { trace } from '@opentelemetry/api';
import { EmbeddedKube } from 'embedded-kube';
import { KopfOperator, type KopfModuleOptions, type KubeObject } from 'nestjs-kopf';
import { WebhookServer } from 'nestjs-kopf/webhooks';
import { SeededRandom, VirtualClock } from 'nestjs-kopf/testing';
import { ClusterUser } from '../../../test/support/clusters/cluster.user.js';
import { eventually, failure } from '../../../test/support/time/eventually.js';
import { readManifests } from '../../../test/support/clusters/manifests.js';
import { PLATFORMS, type Platform } from '../../../test/support/operators/served.operator.js';
import { SpanRecorder } from '../../../test/support/telemetry/span.recorder.js';
import { InventoryModule } from '../src/operator/inventory.module.js';
import { KEY, ServedApi } from './served.api.js';

const DEFINITIONS = { group: 'apiextensions.k8s.io', plural: 'customresourcedefinitions' };
const ITEMS = { group: 'example.com', plural: 'inventoryitems' };
const PATH = '/apis/example.com/v1/namespaces/default/inventoryitems';

const [definition] = readManifests('inventory-api/crd.yaml');
const [chair] = readManifests('inventory-api/sample.yaml');

function item(name: string, spec: object): KubeObject {
  return { ...chair, metadata: { name }, spec };
}

describe.each(Object.keys(PLATFORMS) as Platform[])('The operator of the inventory API on %s', (platform) => {
  let clock: VirtualClock;
  let kube: EmbeddedKube;
  let api: ServedApi;

  async function startApi(): Promise<void> {
    const credentials = { server: kube.url, transport: kube.transport() };
    // Certificates are verified in real time: the webhooks are tested below.
    const admission = { server: new WebhookServer() };
    const options: KopfModuleOptions = { credentials, clock, random: new SeededRandom(2), admission };
    api = await ServedApi.start(InventoryModule.register({ key: KEY }, options), clock, platform);
    await clock.runUntil(api.app.get(KopfOperator).ready());
  }

  beforeEach(async () => {
    clock = new VirtualClock();
    kube = await EmbeddedKube.start({ port: false, clock, random: new SeededRandom(1) });
    await kube.client.create(DEFINITIONS, undefined, definition);
    await startApi();
  });

  afterEach(async () => {
    await api.close();
    await clock.runUntil(kube.stop());
  });

  async function declare(name: string, spec: object): Promise<void> {
    await kube.client.create(ITEMS, 'default', item(name, spec));
    await clock.advance(1000);
  }

  it('should have the items that are declared in the cluster, as long as they are there', async () => {
    await declare('chair', chair.spec as object);
    expect((await api.send('GET', '/api/items')).body).toEqual([
      { id: 'chair', title: 'Chair', quantity: 4, warehouse: 'north' },
    ]);
    expect(kube.client.get(ITEMS, 'default', 'chair')?.status).toEqual({ inStock: true });
    await kube.client.patch(ITEMS, 'default', 'chair', { spec: { quantity: 0 } });
    await clock.advance(1000);
    expect((await api.send('GET', '/api/items/chair')).body.quantity).toBe(0);
    expect(kube.client.get(ITEMS, 'default', 'chair')?.status).toEqual({ inStock: false });
    await kube.client.delete(ITEMS, 'default', 'chair');
    await clock.advance(1000);
    expect((await api.send('GET', '/api/items')).body).toEqual([]);
  });

  it('should show in its console what it does, to who signs in with the key', async () => {
    await declare('chair', chair.spec as object);
    const refused = await api.sendOpenly('GET', '/kopf/api/objects');
    expect(refused).toMatchObject({ status: 401, body: { message: 'Sign in with a name and a password.' } });
    const { body } = await api.sendAs('admin', KEY, '/kopf/api/objects');
    expect(body.items).toMatchObject([{ kind: 'InventoryItem', name: 'chair', phase: 'idle' }]);
    const { status } = await api.sendAs('admin', 'another', '/kopf/');
    expect(status).toBe(401);
  });

  it('should have them again after a restart without a database that lasts', async () => {
    await declare('chair', chair.spec as object);
    await api.close();
    await startApi();
    await clock.advance(1000);
    expect((await api.send('GET', '/api/items/chair')).body.title).toBe('Chair');
  });

  it('should answer from an index', async () => {
    await declare('chair', { title: 'Chair', quantity: 4, warehouse: 'north' });
    await declare('table', { title: 'Table', quantity: 2, warehouse: 'north' });
    await declare('shelf', { title: 'Shelf', warehouse: 'south' });
    const { body } = await api.send('GET', '/api/warehouses/north');
    expect(body).toHaveLength(2);
    expect(body).toEqual(
      expect.arrayContaining([
        { name: 'chair', quantity: 4 },
        { name: 'table', quantity: 2 },
      ]),
    );
    expect((await api.send('GET', '/api/warehouses/south')).body).toEqual([{ name: 'shelf', quantity: 0 }]);
    expect((await api.send('GET', '/api/warehouses/west')).body).toEqual([]);
    expect((await api.sendOpenly('GET', '/api/warehouses/north')).status).toBe(401);
  });

  it('should catch up with what has changed while the API server was away', async () => {
    await declare('chair', chair.spec as object);
    await clock.runUntil(kube.faults.goDown());
    await clock.advance(600_000);
    await kube.faults.comeBack();
    await kube.client.patch(ITEMS, 'default', 'chair', { spec: { quantity: 7 } });
    await clock.advance(120_000);
    expect((await api.send('GET', '/api/items/chair')).body.quantity).toBe(7);
    expect((await api.send('GET', '/api/warehouses/north')).body).toEqual([{ name: 'chair', quantity: 7 }]);
  });

  it('should not take what makes no sense, even if nobody has stopped it', async () => {
    await declare('chair', { title: 'Chair', quantity: 4, warehouse: 'NORTH' });
    expect((await api.send('GET', '/api/items')).body).toEqual([]);
  });

  it('should show its health and its metrics without the key and the prefix', async () => {
    await declare('chair', chair.spec as object);
    expect((await api.sendOpenly('GET', '/healthz')).status).toBe(200);
    expect((await api.sendOpenly('GET', '/readyz')).status).toBe(200);
    const { status, body } = await api.sendOpenly('GET', '/metrics');
    expect(status).toBe(200);
    expect(body).toMatch(/^controller_runtime_reconcile_total\{.*controller="inventoryitems.example.com".*\} \d/m);
  });

  it('should be traced by what the application has registered with OpenTelemetry', async () => {
    const recorder = SpanRecorder.start();
    trace.setGlobalTracerProvider(recorder.provider);
    onTestFinished(() => trace.disable());
    await declare('chair', chair.spec as object);
    const handler = recorder.one('handler store');
    expect(recorder.parentOf(handler)?.name).toBe('reconcile inventoryitems.example.com');
  });
});

// In real time, as certificates are verified by it.
describe('The webhook of the inventory API', () => {
  it('should have the rules of requests checked for objects', async () => {
    const kube = await EmbeddedKube.start();
    onTestFinished(() => kube.stop());
    await kube.client.create(DEFINITIONS, undefined, definition);
    const credentials = { server: kube.url, transport: kube.transport() };
    const api = await ServedApi.start(InventoryModule.register({ key: KEY }, { credentials }));
    onTestFinished(() => api.close());
    const user = new ClusterUser(kube.transport());
    const configuration = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/inventory.example.com';
    await eventually('the webhook is there', () => user.get(configuration));
    const error = await failure(user.create(PATH, item('chair', { title: 'Chair', warehouse: 'NORTH' })));
    expect(error.message).toContain('spec.warehouse must be a lowercase string');
    expect((await user.create(PATH, item('chair', chair.spec as object))).spec).toEqual(chair.spec);
    await eventually('the item is there', async () => {
      return (await api.send('GET', '/api/items/chair')).status === 200;
    });
  });
});

describe('The code of the inventory API', () => {
  const sources = join(import.meta.dirname, '../src');
  const files = readdirSync(sources, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => ({ file, lines: readFileSync(join(sources, file), 'utf8').split('\n') }));
  // The class stands for a CRD, which would be twice as long; the other file is for tools.
  const isBeside = ({ file }: { file: string }) => /(inventory-item|kopf\.module)\.ts$/.test(file);
  const isOfOperator = ({ file }: { file: string }) => file.startsWith('operator/');

  it('should have an operator of fewer than 80 lines, with comments and imports', () => {
    const own = files.filter((file) => isOfOperator(file) && !isBeside(file)).flatMap(({ lines }) => lines);
    const main = files.find(({ file }) => file === 'main.ts')!.lines.filter((line) => line.includes('InventoryModule'));
    expect(main).toHaveLength(2);
    const added = [...own, ...main].filter((line) => line.trim() !== '');
    expect(added.length).toBeGreaterThan(50);
    expect(added.length).toBeLessThan(80);
  });

  it('should know of the operator only where it is served', () => {
    const others = files.filter((each) => !isOfOperator(each) && !each.file.startsWith('main.'));
    expect(others.map(({ file }) => file)).toContain('app.module.ts');
    for (const { file, lines } of others) expect(lines.join('\n'), file).not.toMatch(/kopf|operator\//i);
  });
});
