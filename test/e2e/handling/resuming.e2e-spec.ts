import type { Type } from '@nestjs/common';
import { OnCreate, OnDelete, OnResume, OnUpdate, TemporaryError, type ChangeContext } from 'nestjs-kopf';
import type { KopfTest } from 'nestjs-kopf/testing';
import { kopfExample, testHandlers } from '../../support/objects/example.objects.js';

class Operator {
  @OnCreate('kopfexamples')
  create() {}

  @OnUpdate('kopfexamples')
  update() {}

  @OnResume('kopfexamples')
  resume() {}

  @OnDelete('kopfexamples')
  delete() {}
}

const object = kopfExample();

/** Runs an operator that has handled an object, and stops it. The calls for that are forgotten. */
async function testHandled(handlers: Type = Operator): Promise<KopfTest> {
  const test = await testHandlers(handlers);
  await test.handled(await test.apply(object));
  await test.stop();
  test.calls.take();
  return test;
}

describe('Resuming handlers', () => {
  it('should be called once for each object that was handled before the operator started', async () => {
    await using test = await testHandled();
    const written = test.requests.all.length;
    await test.start();
    await test.advance(600);
    expect(test.calls.all).toMatchObject([{ id: 'resume', name: 'a', reason: 'resume', retry: 0 }]);
    expect(test.requests.all).toHaveLength(written);
    test.calls.take();
    // Neither later changes, nor a new listing, are reasons to resume again.
    await test.patch(object, { spec: { field: 'v2' } });
    await test.handled(object);
    test.kube.faults.expireHistory();
    await test.advance(120);
    expect(test.calls.ids).toEqual(['update']);
  });

  it('should be mixed into the handling of a change that was made meanwhile, in the order of their declaration', async () => {
    await using test = await testHandled();
    await test.patch(object, { spec: { field: 'v2' } });
    await test.start();
    await test.advance(60);
    expect(test.calls.all).toMatchObject([
      { id: 'update', name: 'a', reason: 'update', retry: 0 },
      { id: 'resume', name: 'a', reason: 'update', retry: 0 },
    ]);
  });

  it('should not be called for an object that was marked for deletion meanwhile', async () => {
    await using test = await testHandled();
    await test.delete(object);
    await test.start();
    await test.advance(60);
    expect(test.calls.ids).toEqual(['delete']);
    expect(await test.find(object)).toBeUndefined();
  });

  it('should be called for an object that was marked for deletion if they are made for it', async () => {
    class DeletingOperator {
      @OnResume('kopfexamples', { deleted: true })
      resume() {}

      @OnDelete('kopfexamples')
      delete() {}
    }
    await using test = await testHandled(DeletingOperator);
    await test.delete(object);
    await test.start();
    await test.advance(60);
    expect(test.calls.all).toMatchObject([
      { id: 'resume', name: 'a', reason: 'delete', retry: 0 },
      { id: 'delete', name: 'a', reason: 'delete', retry: 0 },
    ]);
    expect(await test.find(object)).toBeUndefined();
  });

  it('should be called once for a method that handles creations, too', async () => {
    class TrackingOperator {
      @OnResume('kopfexamples')
      @OnCreate('kopfexamples')
      track() {}
    }
    await using test = await testHandlers(TrackingOperator);
    await test.handled(await test.apply(object));
    await test.restart();
    await test.advance(5);
    expect(test.calls.all).toMatchObject([
      { id: 'track', name: 'a', reason: 'create', retry: 0 },
      { id: 'track', name: 'a', reason: 'resume', retry: 0 },
    ]);
  });

  it('should be retried after errors', async () => {
    class RetriedOperator {
      @OnCreate('kopfexamples')
      create() {}

      @OnResume('kopfexamples')
      resume({ retry }: ChangeContext) {
        if (retry === 0) throw new TemporaryError('wait', { delay: 3 });
      }
    }
    await using test = await testHandled(RetriedOperator);
    await test.start();
    await test.advance(60);
    expect(test.calls.all.map(({ retry }) => retry)).toEqual([0, 1]);
    const { annotations } = (await test.read(object)).metadata;
    expect(Object.keys(annotations!)).toEqual(['kopf.zalando.org/last-handled-configuration']);
  });
});
