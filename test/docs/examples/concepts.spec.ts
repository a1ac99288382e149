import { startWithDisks } from '../../support/operators/disks.js';
import { DurableOperator } from './concepts.example.js';

describe('The example of continuity', () => {
  it('should continue after a crash, and see one change after a downtime', async () => {
    const harness = await startWithDisks();
    let patches = 0;
    await harness.run(DurableOperator, {
      // The operator dies after it has stored that the first handler has succeeded.
      intercept: ({ method }) => {
        if (method === 'PATCH' && ++patches === 2) throw new Error('The process is dead.');
        return undefined;
      },
    });
    await harness.create('a');
    await harness.advance(0.1);
    harness.kill();
    expect(await harness.marks('a')).toEqual(['kopf.zalando.org/first', 'kopf.zalando.org/second']);
    harness.logger.lines.length = 0;

    const lines = () => harness.logger.messages('log').filter((line) => /works|It was/.test(line));
    await harness.run(DurableOperator);
    await harness.advance(1);
    expect(lines()).toEqual(['[ns/a] The second handler works.']);
    expect(await harness.marks('a')).toEqual(['kopf.zalando.org/last-handled-configuration']);
    await harness.stop();

    for (const tier of ['fast', 'faster', 'fastest']) await harness.patch('a', { spec: { tier } });
    await harness.run(DurableOperator);
    await harness.advance(1);
    expect(lines().at(-1)).toBe('[ns/a] It was slow and is fastest.');
    expect(lines()).toHaveLength(2);
  });
});
