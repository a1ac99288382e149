import type { Provider } from '@nestjs/common';
import { OperatorHarness } from '../../support/operator.harness.js';
import { ClassOperator, NamingOperator, PartsOperator, SeveralOperator } from './resources.example.js';

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
