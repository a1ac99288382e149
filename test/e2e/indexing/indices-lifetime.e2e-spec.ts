import {
  Index,
  KopfIndices,
  OnCleanup,
  OnStartup,
  TemporaryError,
  Timer,
  type ActivityContext,
  type IndexContext,
  type KubeObject,
  type ReadonlyIndex,
  type TimerContext,
} from 'nestjs-kopf';
import { KEX, OperatorHarness } from '../../support/operators/operator.harness.js';

const PODS = '/api/v1/namespaces/ns/pods';

describe('The lifetime of indices', () => {
  let harness: OperatorHarness;

  beforeEach(async () => {
    harness = await OperatorHarness.start();
  });

  class Names {
    @Index(...KEX)
    names({ name }: IndexContext) {
      return { [name]: name };
    }
  }

  it('should exist as soon as they are declared, although they have nothing', async () => {
    const seen: unknown[] = [];
    class Operator extends Names {
      @OnStartup()
      begin({ indices }: ActivityContext) {
        seen.push(indices.names.size, [...indices.names], indices.names.get('a'));
      }
      @OnCleanup()
      end({ indices }: ActivityContext) {
        seen.push([...indices.names.keys()]);
      }
    }
    await harness.create('a');
    await harness.run(Operator);
    await harness.stop();
    expect(seen).toEqual([0, [], undefined, ['a']]);
  });

  it('should stay up to date for providers that got them at the startup', async () => {
    let kept: ReadonlyIndex | undefined;
    class Operator extends Names {
      @OnStartup()
      begin({ indices }: ActivityContext) {
        kept = indices.names;
      }
    }
    await harness.create('a');
    await harness.run(Operator);
    await harness.create('b');
    await harness.advance(1);
    expect([...kept!.keys()]).toEqual(['a', 'b']);
  });

  it('should be lost with the operator, and filled again by its next start', async () => {
    await harness.create('a');
    const operator = await harness.run(Names);
    const index = harness.get(KopfIndices).get('names');
    expect(index.size).toBe(1);
    await harness.clock.runUntil(operator.stop());
    expect(index.size).toBe(0);
    await harness.delete('a');
    await harness.create('b');
    await harness.clock.runUntil(operator.start());
    await harness.clock.runUntil(operator.ready());
    expect([...index.keys()]).toEqual(['b']);
  });

  it('should tell how often indexing has failed, and since when, and forget it with a success', async () => {
    const seen: unknown[] = [];
    class Operator {
      @Index(...KEX)
      picky({ spec, retry, runtime }: IndexContext) {
        seen.push([retry, Math.round(runtime)]);
        if (spec.field === 'bad') throw new TemporaryError('not yet', { delay: 10 });
        return spec.field;
      }
    }
    await harness.run(Operator);
    await harness.create('a', { spec: { field: 'bad' } });
    for (const field of ['bad', 'good', 'bad']) {
      await harness.advance(20);
      await harness.patch('a', { spec: { field, change: seen.length } });
    }
    await harness.advance(1);
    expect(seen).toEqual([
      [0, 0],
      [1, 20],
      [2, 40],
      [0, 0],
    ]);
  });

  it('should not retry on their own: the next event of the object decides, at once if there is no delay', async () => {
    let attempts = 0;
    class Operator {
      @Index(...KEX, { errors: 'temporary', backoff: 0 })
      picky({ spec }: IndexContext) {
        attempts++;
        if (spec.field !== 'good') throw new Error('bad');
        return spec.field;
      }
    }
    await harness.run(Operator);
    await harness.create('a', { spec: { field: 'bad' } });
    await harness.advance(3600);
    expect(attempts).toBe(1);
    await harness.patch('a', { spec: { field: 'good' } });
    await harness.advance(1);
    expect([attempts, harness.get(KopfIndices).get('picky').get(null)?.toArray()]).toEqual([2, ['good']]);
  });

  it('should serve as indices of indices: the keys of one are the values of another', async () => {
    const seen: unknown[] = [];
    class Operator {
      @Index('pods.v1')
      containers({ namespace, name, spec }: IndexContext) {
        return new Map([[[namespace, name], spec.containers.map((container: { name: string }) => container.name)]]);
      }
      @Index('pods.v1')
      podsOf({ namespace, name }: IndexContext) {
        return { [namespace!]: name };
      }
      @Timer(...KEX, { interval: 5 })
      tick({ indices, spec }: TimerContext) {
        const pods: string[] = indices.podsOf.get(spec.namespace)?.toArray() ?? [];
        const names = pods.flatMap((pod) => [...(indices.containers.get([spec.namespace, pod]) ?? [])].flat());
        seen.push([...new Set(names)].sort());
      }
    }
    for (const [name, containers] of [
      ['a', ['main']],
      ['b', ['main', 'sidecar']],
    ] as const) {
      const spec = { containers: containers.map((container) => ({ name: container, image: 'image' })) };
      await harness.send('POST', PODS, { metadata: { name }, spec });
    }
    await harness.run(Operator);
    await harness.create('x', { spec: { namespace: 'ns' } });
    await harness.advance(1);
    expect(seen).toEqual([['main', 'sidecar']]);
  });

  it('should mirror whole objects, as they are now', async () => {
    class Operator {
      @Index(...KEX)
      mirror({ namespace, name, body }: IndexContext) {
        return new Map([[[namespace, name], body]]);
      }
    }
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(1);
    const read = (): KubeObject => [...harness.get(KopfIndices).get('mirror').get(['ns', 'a'])!][0] as KubeObject;
    expect(read()).toEqual(await harness.object('a'));
    await harness.patch('a', { status: { replicas: 3 } });
    await harness.advance(1);
    expect(read()).toEqual(await harness.object('a'));
  });
});
