import { RequestMethod, VersioningType } from '@nestjs/common';
import { ForOperator, KopfModule, OnCreate } from 'nestjs-kopf';
import { SeededRandom } from 'nestjs-kopf/testing';
import { KEX, OperatorHarness } from '../../support/operators/operator.harness.js';
import { PLATFORMS, type Platform } from '../../support/operators/served.operator.js';
import { ConsoleWorld, ShownOperator } from './console.world.js';

@ForOperator('other')
class OtherOperator {
  @OnCreate(...KEX)
  build() {}
}

describe.each(Object.keys(PLATFORMS) as Platform[])('The routes of the console on %s', (platform) => {
  it('should be under the global prefix, and a path of their own', async () => {
    const world = await ConsoleWorld.start({
      platform,
      base: '/v1/ops/kopf',
      console: { path: 'ops/kopf' },
      prepare: (app) => app.setGlobalPrefix('v1'),
    });
    await world.harness.create('a');
    await world.harness.advance(2);
    expect(await world.get('overview')).toMatchObject({ state: 'running' });
    expect(await world.get('objects/kopfexamples.kopf.dev/ns/a')).toMatchObject({ object: { name: 'a' } });
    expect((await world.served.get('/ops/kopf/api/overview')).status).toBe(404);
  });

  it('should be at the root if they are to, whatever prefixes and versions the application has', async () => {
    const world = await ConsoleWorld.start({
      platform,
      console: { globalPrefix: false },
      prepare: (app) => {
        app.setGlobalPrefix('v1', { exclude: [{ path: 'health', method: RequestMethod.GET }] });
        app.enableVersioning({ type: VersioningType.URI, defaultVersion: '2' });
      },
    });
    expect(await world.get('overview')).toMatchObject({ state: 'running' });
    expect((await world.served.get('/v1/kopf/api/overview')).status).toBe(404);
  });

  it('should be found where the application exempts them itself from its prefix, for one method', async () => {
    const world = await ConsoleWorld.start({
      platform,
      prepare: (app) => app.setGlobalPrefix('v1', { exclude: [{ path: 'kopf/*path', method: RequestMethod.GET }] }),
    });
    expect(await world.get('overview')).toMatchObject({ state: 'running' });
    expect(await world.ask('objects/kopfexamples.kopf.dev/ns/none')).toMatchObject({ body: { code: 'NOT_FOUND' } });
  });

  it('should show several operators of an application', async () => {
    const harness = await OperatorHarness.start();
    const { clock } = harness;
    const credentials = { server: 'http://embedded', transport: harness.kube.transport() };
    const world = await ConsoleWorld.start({
      platform,
      harness,
      handlers: [ShownOperator, OtherOperator],
      console: { operators: ['default', 'other'] },
      imports: [KopfModule.forRoot({ name: 'other', clock, random: new SeededRandom(5), credentials })],
    });
    await harness.advance(2);
    expect(await world.get('overview')).toMatchObject({ operators: ['default', 'other'], operator: 'default' });
    expect(await world.get('overview?operator=other')).toMatchObject({ operator: 'other', state: 'running' });
    const ids = (await world.get('handlers?operator=other')).map(({ id }: any) => id);
    expect(ids).toEqual(['build']);
    expect(await world.ask('overview?operator=third')).toMatchObject({ status: 404 });
  });

  it('should have the browser add the slash that is missing, as a proxy can have another path', async () => {
    const world = await ConsoleWorld.start({ platform });
    const { status, text } = await world.served.getText('/kopf?operator=default');
    expect({ status, source: /<script src="([^"]*)">/.exec(text)?.[1] }).toEqual({ status: 200, source: '?add-slash' });
    expect((await world.served.getText('/kopf?add-slash')).text).toContain('location.replace(');
  });

  it('should say how to build the page, or show it, for all addresses but those of the interface and of files', async () => {
    const world = await ConsoleWorld.start({ platform });
    for (const path of ['/kopf/', '/kopf/objects/pods/ns/a', '/kopf/handlers']) {
      const { status, text } = await world.served.getText(path);
      expect([200, 503], path).toContain(status);
      expect(text, path).toMatch(status === 200 ? /<!doctype html>/i : /npm run build/);
    }
  });
});

it('should not be there for operators that do not exist', async () => {
  await expect(ConsoleWorld.start({ console: { operators: ['missing'] } })).rejects.toThrow('missing');
});
