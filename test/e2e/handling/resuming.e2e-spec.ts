import { OnCreate, OnDelete, OnResume, TemporaryError, type ChangeContext } from 'nestjs-kopf';
import { Calls } from '../../support/calls.js';
import { KEX, OperatorHarness } from '../../support/operator.harness.js';
import { recordingOperator } from './recording.operator.js';

const LAST_HANDLED = 'kopf.zalando.org/last-handled-configuration';

describe('Resuming handlers', () => {
  it('should be called once for each object that was handled before the operator started', async () => {
    const calls = new Calls();
    const harness = await OperatorHarness.start();
    await harness.run(recordingOperator(calls));
    await harness.create('a');
    await harness.advance(5);
    calls.take();
    await harness.stop();
    const patches = harness.writes.length;
    await harness.run(recordingOperator(calls));
    await harness.advance(600);
    expect(calls.all).toEqual([{ id: 'resume', name: 'a', reason: 'resume', retry: 0 }]);
    expect(harness.writes).toHaveLength(patches);
    calls.take();
    // Neither later changes, nor a new list, are reasons to resume again.
    await harness.patch('a', { spec: { field: 'v2' } });
    await harness.advance(5);
    harness.kube.expireHistory();
    await harness.advance(120);
    expect(calls.take()).toEqual(['update']);
  });

  it('should be mixed into the handling of a change that was made meanwhile, in the order of their declaration', async () => {
    const calls = new Calls();
    const harness = await OperatorHarness.start();
    await harness.run(recordingOperator(calls));
    await harness.create('a');
    await harness.advance(5);
    await harness.stop();
    await harness.patch('a', { spec: { field: 'v2' } });
    calls.take();
    await harness.run(recordingOperator(calls));
    await harness.advance(60);
    expect(calls.all).toEqual([
      { id: 'update', name: 'a', reason: 'update', retry: 0 },
      { id: 'resume', name: 'a', reason: 'update', retry: 0 },
    ]);
  });

  it('should not be called for an object that was marked for deletion meanwhile', async () => {
    const calls = new Calls();
    const harness = await OperatorHarness.start();
    await harness.run(recordingOperator(calls));
    await harness.create('a');
    await harness.advance(5);
    await harness.stop();
    calls.take();
    await harness.delete('a');
    await harness.run(recordingOperator(calls));
    await harness.advance(60);
    expect(calls.ids).toEqual(['delete']);
    expect(await harness.read('a')).toBeUndefined();
  });

  it('should be called for an object that was marked for deletion if they are made for it', async () => {
    const calls = new Calls();
    class Operator {
      @OnResume(...KEX, { deleted: true })
      resume(context: ChangeContext) {
        calls.add('resume', context);
      }
      @OnDelete(...KEX)
      remove(context: ChangeContext) {
        calls.add('delete', context);
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(5);
    await harness.stop();
    await harness.delete('a');
    await harness.run(Operator);
    await harness.advance(60);
    expect(calls.all).toEqual([
      { id: 'resume', name: 'a', reason: 'delete', retry: 0 },
      { id: 'delete', name: 'a', reason: 'delete', retry: 0 },
    ]);
    expect(await harness.read('a')).toBeUndefined();
  });

  it('should be called once for a method that handles creations, too', async () => {
    const calls = new Calls();
    class Operator {
      @OnResume(...KEX)
      @OnCreate(...KEX)
      track(context: ChangeContext) {
        calls.add('track', context);
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(5);
    await harness.stop();
    await harness.run(Operator);
    await harness.advance(5);
    expect(calls.all).toEqual([
      { id: 'track', name: 'a', reason: 'create', retry: 0 },
      { id: 'track', name: 'a', reason: 'resume', retry: 0 },
    ]);
  });

  it('should be retried after errors', async () => {
    const calls = new Calls();
    class Operator {
      @OnCreate(...KEX)
      create() {}
      @OnResume(...KEX)
      resume(context: ChangeContext) {
        calls.add('resume', context);
        if (context.retry === 0) throw new TemporaryError('wait', { delay: 3 });
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(5);
    await harness.stop();
    await harness.run(Operator);
    await harness.advance(60);
    expect(calls.all.map(({ retry }) => retry)).toEqual([0, 1]);
    expect(await harness.marks('a')).toEqual([LAST_HANDLED]);
  });
});
