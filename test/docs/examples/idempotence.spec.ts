import type { KubeObject } from 'nestjs-kopf';
import { OperatorHarness } from '../../support/operator.harness.js';
import { JobsOperator, NamedOperator } from './idempotence.example.js';

const MAPS = '/api/v1/namespaces/ns/configmaps';

describe('The examples of idempotence', () => {
  it('should make each child once, although the operator is killed in between', async () => {
    const harness = await OperatorHarness.start();
    const names = async () => ((await harness.send('GET', MAPS)).items as KubeObject[]).map((map) => map.metadata.name);
    let creations = 0;
    await harness.run(JobsOperator, {
      intercept: ({ method, path }) => {
        if (method === 'POST' && path.startsWith(MAPS) && ++creations >= 2) throw new Error('The process is dead.');
        return undefined;
      },
    });
    await harness.create('a');
    await harness.advance(1);
    harness.kill();
    expect(await names()).toHaveLength(1);
    await harness.run(JobsOperator);
    await harness.advance(120);
    expect(await names()).toHaveLength(2);
    const { status } = await harness.object('a');
    expect(await names()).toEqual(expect.arrayContaining([status['create/input'].name, status['create/output'].name]));
  });

  it('should find what is there already', async () => {
    const harness = await OperatorHarness.start();
    await harness.send('POST', MAPS, { metadata: { name: 'a' } });
    await harness.run(NamedOperator);
    await harness.create('a');
    await harness.create('b');
    await harness.advance(1);
    expect(harness.logger.messages('error')).toEqual([]);
    expect((await harness.send('GET', `${MAPS}/b`)).data).toEqual({ field: 'v1' });
  });
});
