import type { Provider } from '@nestjs/common';
import { customResource, DEFINITIONS } from '../../support/clusters/cluster.user.js';
import { startWithDisks } from '../../support/operators/disks.js';
import type { OperatorHarness } from '../../support/operators/operator.harness.js';
import { runApplication } from '../support/module.harness.js';
import {
  AppModule,
  ClassOperator,
  createOptions,
  DiskOperator,
  GlobsOperator,
  NamingOperator,
  PartsOperator,
  selectedBySettings,
  SelectingOperator,
  SeveralOperator,
} from './resources.example.js';

describe('The examples of resources', () => {
  it.each<[string, Provider, string]>([
    ['by names', NamingOperator, '[ns/a] disks.example.com a'],
    ['by parts', PartsOperator, '[ns/a] disks a'],
    ['by predicates', SeveralOperator, '[ns/a] disks a'],
    ['by classes', ClassOperator, '[ns/a] disks a'],
  ])('should select %s, and call a method once', async (_, operator, line) => {
    const harness = await startWithDisks();
    await harness.run(operator);
    await harness.create('a');
    await harness.advance(1);
    expect(harness.logger.messages('log').filter((text) => text === line)).toHaveLength(1);
  });

  it('should take up resources that match a pattern as they come', async () => {
    const harness = await startWithDisks();
    await harness.run(GlobsOperator);
    const groups = ['data.example.com', 'example.org'];
    for (const group of groups) {
      await harness.send('POST', DEFINITIONS, customResource({ group, kind: 'Disk' }));
    }
    await harness.advance(5);
    for (const group of groups) {
      const body = { apiVersion: `${group}/v1`, kind: 'Disk', metadata: { name: 'a' } };
      await harness.send('POST', `/apis/${group}/v1/namespaces/ns/disks`, body);
    }
    await harness.create('b');
    await harness.advance(1);
    const lines = harness.logger.messages('log').filter((text) => text.includes('disks'));
    expect(lines).toEqual(['[ns/a] disks.data.example.com a']);
  });

  it('should select everything', async () => {
    const harness = await startWithDisks();
    await harness.run(SeveralOperator);
    const map = (name: string, labels: object) => ({ metadata: { name, labels } });
    await harness.send('POST', '/api/v1/namespaces/ns/configmaps', map('with', { 'only-this': '' }));
    await harness.send('POST', '/api/v1/namespaces/ns/configmaps', map('without', {}));
    await harness.advance(1);
    const lines = harness.logger.messages('log').filter((text) => text.includes('configmaps'));
    expect(lines).toEqual(['[ns/with] configmaps with']);
  });
});

describe('The examples of scopes', () => {
  it('should serve the namespaces that match', async () => {
    const harness = await startWithDisks();
    const names = ['myapp-live', 'myapp-pr-456', 'myapp-pr-123', 'otherapp-pr-123', 'team-a', 'team-ab'];
    for (const name of names) await harness.send('POST', '/api/v1/namespaces', { metadata: { name } });
    await runApplication(harness, AppModule);
    await harness.advance(1);
    for (const namespace of [...names, 'default', 'ns']) {
      await harness.send('POST', `/api/v1/namespaces/${namespace}/configmaps`, { metadata: { name: 'a' } });
    }
    await harness.advance(1);
    const served = harness.logger.messages('log').flatMap((line) => line.match(/(\S+) is served/)?.[1] ?? []);
    expect(served.sort()).toEqual(['default/a', 'myapp-live/a', 'myapp-pr-123/a', 'team-a/a']);
  });

  it('should serve the objects that are selected', async () => {
    const harness = await startWithDisks();
    await harness.run(SelectingOperator);
    const create = (plural: string, name: string, labels: object, more = {}) =>
      harness.send('POST', `/api/v1/namespaces/ns/${plural}`, { metadata: { name, labels }, ...more });
    await create('configmaps', 'a', { app: 'web' });
    await create('configmaps', 'b', { app: 'api', legacy: '' });
    await create('configmaps', 'c', { app: 'db' });
    const spec = { containers: [{ name: 'main', image: 'busybox' }] };
    for (const name of ['one', 'two']) await create('pods', name, {}, { spec });
    await harness.advance(1);
    await harness.send('PATCH', '/api/v1/namespaces/ns/pods/two/status', { status: { phase: 'Failed' } });
    await harness.send('DELETE', '/api/v1/namespaces/ns/configmaps/b');
    await harness.advance(5);
    const lines = harness.logger
      .messages('log')
      .flatMap((line) => line.match(/\w+ (is|was) selected|\w+ has failed/)?.[0] ?? []);
    expect(lines.sort()).toEqual(['a is selected', 'b was selected', 'two has failed']);
  });

  const createMaps = (harness: OperatorHarness, labels: object, ...names: readonly string[]): Promise<unknown> =>
    Promise.all(
      names.map((name) => harness.send('POST', '/api/v1/namespaces/ns/configmaps', { metadata: { name, labels } })),
    );
  const served = (harness: OperatorHarness): string[] =>
    harness.logger
      .messages('log')
      .flatMap((line) => line.match(/ns\/(\S+) is served/)?.[1] ?? [])
      .sort();

  it('should serve the objects that the settings select', async () => {
    const harness = await startWithDisks();
    await harness.run(DiskOperator, selectedBySettings);
    await createMaps(harness, { app: 'web' }, 'a');
    await createMaps(harness, {}, 'b');
    await harness.advance(1);
    expect(served(harness)).toEqual(['a']);
  });

  it('should serve each object once with shards', async () => {
    const harness = await startWithDisks({ kube: { featureGates: { ShardedListAndWatch: true } } });
    for (const index of [0, 1]) await harness.run(DiskOperator, createOptions(index));
    const names = Array.from({ length: 10 }, (_, index) => `map-${index}`);
    await createMaps(harness, {}, ...names);
    await harness.advance(1);
    expect(served(harness)).toEqual(names);
  });
});
