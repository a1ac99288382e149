import type { NestApplication } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { EmbeddedKube } from 'embedded-kube';
import { KopfOperator } from 'nestjs-kopf';
import { SeededRandom, VirtualClock } from 'nestjs-kopf/testing';
import { readManifests } from '../../../test/support/manifests.js';
import { PLATFORMS, type Platform } from '../../../test/support/served.operator.js';
import { AppModule } from '../src/app.module.js';

const DEFINITIONS = { group: 'apiextensions.k8s.io', plural: 'customresourcedefinitions' };
const ITEMS = { group: 'example.com', plural: 'inventoryitems' };
const KEY = 'secret';

const [chair] = readManifests('inventory-api/sample.yaml');

describe.each(Object.keys(PLATFORMS) as Platform[])('The inventory API on %s', (platform) => {
  let clock: VirtualClock;
  let kube: EmbeddedKube;
  let app: NestApplication;
  let url: string;

  async function startApp(): Promise<void> {
    const credentials = { server: kube.url, transport: kube.transport() };
    const module = await Test.createTestingModule({
      imports: [AppModule.register(KEY, { credentials, clock, random: new SeededRandom(2) })],
    })
      .setLogger(false as never)
      .compile();
    app = module.createNestApplication(PLATFORMS[platform]());
    await clock.runUntil(app.init());
    await clock.runUntil(app.get(KopfOperator).ready());
    await app.listen(0, '127.0.0.1');
    url = await app.getUrl();
  }

  beforeEach(async () => {
    clock = new VirtualClock();
    kube = await EmbeddedKube.start({ port: false, clock, random: new SeededRandom(1) });
    for (const manifest of readManifests('inventory-api/crd.yaml')) {
      await kube.client.create(DEFINITIONS, undefined, manifest);
    }
    await startApp();
  });

  afterEach(async () => {
    await clock.runUntil(app.close());
    await clock.runUntil(kube.stop());
  });

  async function send(method: string, path: string, body?: object, key = KEY): Promise<{ status: number; body: any }> {
    const headers = { 'x-api-key': key, ...(body && { 'content-type': 'application/json' }) };
    const response = await fetch(`${url}${path}`, { method, headers, body: body && JSON.stringify(body) });
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
  }

  async function declare(name: string, spec: object): Promise<void> {
    await kube.client.create(ITEMS, 'default', { ...chair, metadata: { name }, spec });
    await clock.advance(1000);
  }

  it('should work as it did before', async () => {
    const desk = { title: 'Desk', quantity: 1, warehouse: 'south' };
    expect((await send('PUT', '/items/desk', desk)).status).toBe(204);
    expect(await send('GET', '/items/desk')).toEqual({ status: 200, body: { id: 'desk', ...desk } });
    expect((await send('GET', '/items/lamp')).status).toBe(404);
    expect((await send('GET', '/items', undefined, 'wrong')).status).toBe(401);
  });

  it('should have the items that are declared in the cluster, as long as they are there', async () => {
    await declare('chair', chair.spec as object);
    expect((await send('GET', '/items')).body).toEqual([
      { id: 'chair', title: 'Chair', quantity: 4, warehouse: 'north' },
    ]);
    expect(kube.client.get(ITEMS, 'default', 'chair')?.status).toEqual({ inStock: true });
    await kube.client.patch(ITEMS, 'default', 'chair', { spec: { quantity: 0 } });
    await clock.advance(1000);
    expect((await send('GET', '/items/chair')).body.quantity).toBe(0);
    expect(kube.client.get(ITEMS, 'default', 'chair')?.status).toEqual({ inStock: false });
    await kube.client.delete(ITEMS, 'default', 'chair');
    await clock.advance(1000);
    expect((await send('GET', '/items')).body).toEqual([]);
  });

  it('should have them again after a restart', async () => {
    await declare('chair', chair.spec as object);
    await clock.runUntil(app.close());
    await startApp();
    await clock.advance(1000);
    expect((await send('GET', '/items/chair')).body.title).toBe('Chair');
  });

  it('should answer from an index', async () => {
    await declare('chair', { title: 'Chair', quantity: 4, warehouse: 'north' });
    await declare('table', { title: 'Table', quantity: 2, warehouse: 'north' });
    await declare('shelf', { title: 'Shelf', warehouse: 'south' });
    expect((await send('GET', '/warehouses')).body).toEqual(['north', 'south']);
    expect((await send('GET', '/warehouses/north')).body).toEqual({
      warehouse: 'north',
      quantity: 6,
      items: ['chair', 'table'],
    });
    expect((await send('GET', '/warehouses/west')).body).toEqual({ warehouse: 'west', quantity: 0, items: [] });
    expect((await send('GET', '/warehouses', undefined, 'wrong')).status).toBe(401);
  });

  it('should change the cluster over the connections of the operator', async () => {
    await declare('chair', { title: 'Chair', quantity: 4, warehouse: 'north' });
    expect((await send('POST', '/warehouses/north/clear')).body).toEqual({ cleared: 1 });
    await clock.advance(1000);
    expect((await send('GET', '/warehouses/north')).body.quantity).toBe(0);
    expect((await send('GET', '/items/chair')).body.quantity).toBe(0);
  });

  it('should not take what makes no sense', async () => {
    await declare('debt', { title: 'Debt', quantity: -1, warehouse: 'north' });
    expect((await send('GET', '/items')).body).toEqual([]);
  });
});
