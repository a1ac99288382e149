import {
  KopfSettings,
  OnCreate,
  OnDelete,
  TemporaryError,
  type ChangeContext,
  type KopfModuleOptions,
} from 'nestjs-kopf';
import { startWithDisks } from '../../support/operators/disks.js';
import { OperatorHarness } from '../../support/operators/operator.harness.js';
import { runApplication } from '../support/module.harness.js';
import {
  AppModule,
  AsyncAppModule,
  careful,
  ConfiguringOperator,
  DiskOperator,
  inDisorder,
  lastFirst,
  MemoryProgressStorage,
  ownAnnotations,
  ownStatus,
  transition,
} from './configuration.example.js';

class Failing {
  @OnCreate('disks.example.com')
  create({ retry }: ChangeContext) {
    if (retry < 1) throw new TemporaryError('once more', { delay: 30 });
  }
  @OnDelete('disks.example.com')
  release() {}
}

describe('The examples of configuration', () => {
  let harness: OperatorHarness;

  beforeEach(async () => {
    harness = await startWithDisks();
  });

  it.each([
    ['forRoot()', AppModule],
    ['forRootAsync()', AsyncAppModule],
  ])('should be done by %s', async (_, module) => {
    const application = await runApplication(harness, module);
    await harness.create('a');
    await harness.create('b', { metadata: { namespace: 'other' } });
    await harness.advance(1);
    expect((await harness.object('a')).status).toEqual({ create: 'created' });
    const settings = application.get(KopfSettings);
    expect(settings.execution.defaultBackoff).toBe(module === AppModule ? 30 : 60);
    const other = await harness.send('GET', '/apis/example.com/v1/namespaces/other/disks/b');
    expect(other.status).toBeUndefined();
  });

  it('should be done at the startup', async () => {
    await harness.run([ConfiguringOperator, Failing]);
    await harness.create('a');
    await harness.advance(1);
    expect((await harness.object('a')).metadata.finalizers).toEqual(['my-operator.example.com/finalizer']);
  });

  it.each<[string, KopfModuleOptions, object]>([
    ['annotations of its own', ownAnnotations, { 'my-operator.example.com/create': expect.any(String) }],
    ['the status', ownStatus, {}],
    ['two places', transition, { 'kopf.zalando.org/create': expect.any(String) }],
    ['a careful way', careful, { 'kopf.zalando.org/create': expect.any(String) }],
  ])('should keep the state in %s', async (_, options, annotations) => {
    await harness.run(Failing, options);
    await harness.create('a');
    await harness.advance(10);
    const half = await harness.object('a');
    expect({ ...half.metadata.annotations }).toMatchObject(annotations);
    if (options === ownStatus) expect(half.status['my-operator'].progress.create.retries).toBe(1);
    await harness.advance(30);
    expect(JSON.stringify(await harness.object('a'))).toMatch(/last-handled/);
    harness.writes.length = 0;
    await harness.patch('a', { spec: { replicas: 3 } });
    await harness.advance(10);
    expect(harness.patchesOf('a')).toHaveLength(options === careful ? 0 : 1);
  });

  it('should keep the progress in a storage of its own', async () => {
    const progressStorage = new MemoryProgressStorage();
    await harness.run(Failing, { persistence: { progressStorage } });
    await harness.create('a');
    await harness.advance(10);
    expect([...progressStorage.records.values()]).toMatchObject([{ retries: 1 }]);
    await harness.advance(60);
    expect(progressStorage.records.size).toBe(0);
    expect(await harness.marks('a')).toEqual(['kopf.zalando.org/last-handled-configuration']);
  });

  it.each([
    ['the last one first', { lifecycle: lastFirst }],
    ['in disorder', inDisorder],
  ])('should choose handlers: %s', async (_, options) => {
    class Second {
      @OnCreate('disks.example.com')
      second() {
        return 2;
      }
    }
    await harness.run([DiskOperator, Second], options);
    await harness.create('a');
    await harness.advance(1);
    expect((await harness.object('a')).status).toEqual({ create: 'created', second: 2 });
  });
});
