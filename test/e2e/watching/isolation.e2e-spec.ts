import {
  Index,
  OnChild,
  OnCreate,
  OnEvent,
  type ChangeContext,
  type ChildContext,
  type EventContext,
  type IndexContext,
} from 'nestjs-kopf';
import { customResource, DEFINITIONS } from '../../support/clusters/cluster.user.js';
import { errorResponse, KEX, OperatorHarness } from '../../support/operators/operator.harness.js';
import { createChild } from '../relations/relations.operator.js';

/** Answers requests with an error as long as it is broken. */
function fault(part: string, code = 500) {
  const state = {
    isBroken: true,
    intercept: ({ path }: { path: string }) =>
      state.isBroken && path.includes(part) ? errorResponse(code, '', `no ${part} today`) : undefined,
  };
  return state;
}

describe('A resource that cannot be watched', () => {
  let harness: OperatorHarness;

  beforeEach(async () => {
    harness = await OperatorHarness.start();
  });

  describe('and that has an index', () => {
    const seen: string[] = [];
    class Operator {
      @Index('v1', 'configmaps')
      maps({ name }: IndexContext) {
        return { [name]: name };
      }
      @OnCreate(...KEX)
      create({ name, indices }: ChangeContext) {
        seen.push(`${name}: ${indices.maps.size > 0 ? 'indexed' : 'not indexed'}`);
      }
    }

    beforeEach(async () => {
      seen.length = 0;
      await harness.send('POST', '/api/v1/namespaces/ns/configmaps', { metadata: { name: 'x' } });
      await harness.create('a');
    });

    it('should hold back the handlers of others as long as its list fails for a short time', async () => {
      const broken = fault('/configmaps');
      await harness.run(Operator, { intercept: broken.intercept, unready: true });
      await harness.advance(30);
      expect(seen).toEqual([]);
      broken.isBroken = false;
      await harness.advance(30);
      expect(seen).toEqual(['a: indexed']);
    });

    it('should not hold back the handlers of others, nor readiness, if its list fails for long, and say so by name', async () => {
      const broken = fault('/configmaps');
      const operator = await harness.run(Operator, { intercept: broken.intercept, unready: true });
      await harness.advance(120);
      expect(seen).toEqual(['a: not indexed']);
      await operator.ready();
      expect(harness.logger.messages('warn').filter((line) => line.includes('could not be listed for 60 s'))).toEqual([
        expect.stringContaining('ConfigMap (configmaps) cluster-wide could not be listed for 60 s.'),
      ]);
      broken.isBroken = false;
      await harness.advance(60);
      await harness.create('b');
      await harness.advance(1);
      expect(seen).toEqual(['a: not indexed', 'b: indexed']);
    });

    it('should hold back the handlers of others for as long as the API server cannot be reached', async () => {
      let isBroken = true;
      const intercept = ({ path }: { path: string }) => {
        if (isBroken && path.includes('/configmaps')) throw new Error('The connection is refused.');
        return undefined;
      };
      await harness.run(Operator, { intercept, unready: true });
      await harness.advance(600);
      expect(seen).toEqual([]);
      isBroken = false;
      await harness.advance(60);
      expect(seen).toEqual(['a: indexed']);
    });
  });

  it('should not hold back readiness if it is the one of the namespaces, and the others are named', async () => {
    const seen: string[] = [];
    class Operator {
      @OnEvent(...KEX)
      event({ name }: EventContext) {
        seen.push(name);
      }
    }
    await harness.create('a');
    const { intercept } = fault('/api/v1/namespaces?');
    const operator = await harness.run(Operator, { namespaces: ['ns', 'other-*'], intercept, unready: true });
    await harness.advance(120);
    expect(seen).toContain('a');
    await operator.ready();
    expect(harness.logger.messages('warn').join()).toContain('Namespace (namespaces) cluster-wide could not be listed');
  });

  it('should not keep children from their direct parent if it is the one of the grandparents', async () => {
    const calls: string[] = [];
    class Operator {
      @OnChild('kopfexamples.kopf.dev', 'configmaps', { depth: 2 })
      count({ name, children }: ChildContext) {
        calls.push(`${name}: ${children.map((child) => child.name).join(' ')}`);
      }
    }
    const { intercept } = fault('fieldSelector=metadata.name', 403);
    await harness.run(Operator, { intercept });
    await createChild(harness, 'x', await harness.create('a'));
    await harness.advance(2);
    expect(calls.at(-1)).toBe('a: x');
  });
});

describe('A watch that is replaced', () => {
  it('should wait for the running handlers of its resource, and let nothing else wait for them', async () => {
    const calls: string[] = [];
    const harness = await OperatorHarness.start();
    class Operator {
      @OnCreate(...KEX)
      async create({ name, signal }: ChangeContext) {
        calls.push(`${name} begins`);
        await new Promise<void>((resolve) => {
          harness.clock.setTimer(resolve, 3_600_000);
          signal.addEventListener('abort', () => resolve(), { once: true });
        });
        calls.push(`${name} ends`);
      }
      @OnEvent('laters.kopf.dev')
      later({ name }: EventContext) {
        calls.push(name);
      }
    }
    await harness.create('a');
    await harness.run(Operator);
    expect(calls).toEqual(['a begins']);
    // With another subresource, it is another target.
    await harness.send('PATCH', `${DEFINITIONS}/kopfexamples.kopf.dev`, {
      spec: customResource({ statusSubresource: true, shortNames: ['kex'] }).spec,
    });
    await harness.advance(60);
    await harness.send('POST', DEFINITIONS, customResource({ kind: 'Later' }));
    await harness.advance(60);
    await harness.send('POST', '/apis/kopf.dev/v1/namespaces/ns/laters', {
      apiVersion: 'kopf.dev/v1',
      kind: 'Later',
      metadata: { name: 'l' },
    });
    await harness.create('b');
    await harness.advance(60);
    expect(calls).toEqual(['a begins', 'l']);
    await harness.advance(3600);
    expect(calls).toEqual(['a begins', 'l', 'a ends', 'b begins']);
  });
});
