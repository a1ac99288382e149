import { startWithDisks } from '../../support/operators/disks.js';
import { OperatorHarness } from '../../support/operators/operator.harness.js';
import { ProgressOperator, SizeOperator } from './conditions.example.js';

describe('The examples of conditions', () => {
  let harness: OperatorHarness;

  const statusOf = async (name: string) => (await harness.object(name)).status;

  beforeEach(async () => {
    harness = await startWithDisks({ statusSubresource: true });
  });

  it('should set a condition, and change its time with its status only', async () => {
    await harness.run(SizeOperator);
    await harness.create('a', { spec: { size: 1 } });
    await harness.advance(10);
    const [first] = (await statusOf('a')).conditions;
    expect(first).toMatchObject({ type: 'Sized', status: 'True', reason: 'SizeGiven', observedGeneration: 1 });
    await harness.patch('a', { spec: { size: 2 } });
    await harness.advance(10);
    const [second] = (await statusOf('a')).conditions;
    expect(second).toEqual({ ...first, message: 'The size is 2.', observedGeneration: 2 });
    await harness.patch('a', { spec: { size: 0 } });
    await harness.advance(10);
    const [third] = (await statusOf('a')).conditions;
    expect(third.status).toBe('False');
    expect(Date.parse(third.lastTransitionTime)).toBeGreaterThan(Date.parse(first.lastTransitionTime));
  });

  it('should leave the conditions of others alone', async () => {
    await harness.run(SizeOperator);
    await harness.create('a', { spec: { size: 1 } });
    await harness.advance(10);
    const foreign = {
      type: 'Foreign',
      status: 'True',
      reason: 'R',
      message: '',
      lastTransitionTime: '2020-01-01T00:00:00Z',
    };
    const { conditions } = await statusOf('a');
    await harness.patch('a', { status: { conditions: [...conditions, foreign] } }, 'status');
    await harness.patch('a', { spec: { size: 0 } });
    await harness.advance(10);
    expect((await statusOf('a')).conditions).toMatchObject([{ type: 'Sized', status: 'False' }, foreign]);
  });

  it('should be what kstatus reads', async () => {
    await harness.run(ProgressOperator);
    await harness.create('a', { spec: {} });
    await harness.advance(10);
    const summary = async () => {
      const { conditions, observedGeneration } = await statusOf('a');
      const texts = (conditions as { type: string; status: string }[]).map(({ type, status }) => `${type}=${status}`);
      return [observedGeneration, ...texts.sort()];
    };
    expect(await summary()).toEqual([1, 'Ready=False', 'Stalled=True']);
    await harness.patch('a', { spec: { tier: 'v' } });
    await harness.advance(10);
    expect(await summary()).toEqual([2, 'Ready=False', 'Reconciling=True']);
    await harness.patch('a', { spec: { replicas: 2 } });
    await harness.advance(10);
    expect(await summary()).toEqual([3, 'Ready=True']);
  });
});
