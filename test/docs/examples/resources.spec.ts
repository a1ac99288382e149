import type { Provider } from '@nestjs/common';
import { OperatorHarness } from '../../support/operators/operator.harness.js';
import { customResource, DEFINITIONS } from '../../support/clusters/cluster.user.js';
import { ClassOperator, GlobsOperator, NamingOperator, PartsOperator, SeveralOperator } from './resources.example.js';

describe('The examples of resources', () => {
  it.each<[string, Provider, string]>([
    ['by names', NamingOperator, '[ns/a] kopfexamples.kopf.dev a'],
    ['by parts', PartsOperator, '[ns/a] kopfexamples a'],
    ['by predicates', SeveralOperator, '[ns/a] kopfexamples a'],
    ['by classes', ClassOperator, '[ns/a] kopfexamples a'],
  ])('should select %s, and call a method once', async (_, operator, line) => {
    const harness = await OperatorHarness.start();
    await harness.run(operator);
    await harness.create('a');
    await harness.advance(1);
    expect(harness.logger.messages('log').filter((text) => text === line)).toHaveLength(1);
  });

  it('should take up resources that match a pattern as they come', async () => {
    const harness = await OperatorHarness.start();
    await harness.run(GlobsOperator);
    const groups = ['data.example.com', 'example.org'];
    for (const group of groups) {
      const definition = JSON.stringify(customResource({})).replaceAll('kopf.dev', group);
      await harness.send('POST', DEFINITIONS, JSON.parse(definition));
    }
    await harness.advance(5);
    for (const group of groups) {
      const body = { apiVersion: `${group}/v1`, kind: 'KopfExample', metadata: { name: 'a' } };
      await harness.send('POST', `/apis/${group}/v1/namespaces/ns/kopfexamples`, body);
    }
    await harness.create('b');
    await harness.advance(1);
    const lines = harness.logger.messages('log').filter((text) => text.includes('kopfexamples'));
    expect(lines).toEqual(['[ns/a] kopfexamples.data.example.com a']);
  });

  it('should select everything', async () => {
    const harness = await OperatorHarness.start();
    await harness.run(SeveralOperator);
    const map = (name: string, labels: object) => ({ metadata: { name, labels } });
    await harness.send('POST', '/api/v1/namespaces/ns/configmaps', map('with', { 'only-this': '' }));
    await harness.send('POST', '/api/v1/namespaces/ns/configmaps', map('without', {}));
    await harness.advance(1);
    const lines = harness.logger.messages('log').filter((text) => text.includes('configmaps'));
    expect(lines).toEqual(['[ns/with] configmaps with']);
  });
});
