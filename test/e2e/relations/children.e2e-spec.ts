import { Injectable, type Type } from '@nestjs/common';
import {
  KopfRegistry,
  OnChild,
  OnCreate,
  OnEvent,
  PermanentError,
  TemporaryError,
  type ChangeContext,
  type ChildContext,
  type EventContext,
  type KubeRequest,
} from 'nestjs-kopf';
import type { ChildOptions } from 'nestjs-kopf/decorators';
import { errorResponse, OperatorHarness } from '../../support/operators/operator.harness.js';
import { failOnUnhandledRejections } from '../../support/runner/unhandled.rejections.js';
import { configMap, createChild } from './relations.operator.js';

const PARENT = { group: 'kopf.dev', plural: 'kopfexamples' };

/** An operator that records for which parents it is called, and with which children. */
function recordingOperator(
  options: ChildOptions = {},
  child = 'configmaps',
  body: (context: ChildContext, calls: readonly string[]) => unknown = () => undefined,
): { Operator: Type; calls: string[] } {
  const calls: string[] = [];
  @Injectable()
  class Operator {
    @OnChild(PARENT, child, options)
    count(context: ChildContext) {
      calls.push(
        `${context.name}: ${context.children
          .map(({ name }) => name)
          .sort()
          .join(' ')}`.trim(),
      );
      return body(context, calls);
    }
  }
  return { Operator, calls };
}

describe('handlers of parents for their children', () => {
  failOnUnhandledRejections();
  let harness: OperatorHarness;

  beforeEach(async () => {
    harness = await OperatorHarness.start();
  });

  it('should be called once at first, and once for each burst of changes', async () => {
    const { Operator, calls } = recordingOperator();
    await harness.run(Operator);
    const [a, b] = [await harness.create('a'), await harness.create('b')];
    await harness.advance(1);
    expect(calls).toEqual(['a:', 'b:']);
    for (const name of ['x', 'y', 'z']) await createChild(harness, name, a);
    await harness.advance(1);
    expect(calls.splice(0).slice(2)).toEqual(['a: x y z']);
    await harness.send('PATCH', configMap('x'), { data: { key: 'value' } });
    await harness.advance(1);
    await harness.send('DELETE', configMap('y'));
    await createChild(harness, 'w', b);
    await harness.advance(1);
    expect(calls).toEqual(['a: x y z', 'a: x z', 'b: w']);
  });

  it('should be called for the old owner and the new one', async () => {
    const { Operator, calls } = recordingOperator();
    await harness.run(Operator);
    const [a, b] = [await harness.create('a'), await harness.create('b')];
    await createChild(harness, 'x', a);
    await harness.advance(1);
    calls.length = 0;
    const { apiVersion, kind, metadata } = b;
    const ownerReferences = [{ apiVersion, kind, name: 'b', uid: metadata.uid, controller: true }];
    await harness.send('PATCH', configMap('x'), { metadata: { ownerReferences } });
    await harness.advance(1);
    expect(calls).toEqual(['a:', 'b: x']);
  });

  it('should match the group and the kind of the owner and not the version, and the controller unless the option says otherwise', async () => {
    const { Operator, calls } = recordingOperator({ id: 'controlled' });
    const all = recordingOperator({ id: 'all', controller: false });
    await harness.run([Operator, all.Operator]);
    const a = await harness.create('a');
    await harness.advance(1);
    calls.length = all.calls.length = 0;
    await createChild(harness, 'version', a, { controller: true, apiVersion: 'kopf.dev/v9' });
    await createChild(harness, 'group', a, { controller: true, apiVersion: 'other.dev/v1' });
    await createChild(harness, 'kind', a, { controller: true, kind: 'Other' });
    await createChild(harness, 'beside', a, {});
    await harness.advance(1);
    expect(calls.at(-1)).toBe('a: version');
    expect(all.calls.at(-1)).toBe('a: beside version');
  });

  it('should climb over several generations', async () => {
    const { Operator, calls } = recordingOperator({ depth: 2 }, 'secrets');
    await harness.run(Operator);
    const a = await harness.create('a');
    const { metadata } = await createChild(harness, 'between', a);
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'between', uid: metadata.uid, controller: true };
    for (const name of ['s1', 's2']) {
      await harness.send('POST', '/api/v1/namespaces/ns/secrets', { metadata: { name, ownerReferences: [owner] } });
    }
    await harness.advance(1);
    expect(calls.at(-1)).toBe('a: s1 s2');
    await harness.send('DELETE', '/api/v1/namespaces/ns/secrets/s1');
    await harness.advance(1);
    expect(calls.at(-1)).toBe('a: s2');
  });

  it('should be retried as its errors say, but at once if something changes', async () => {
    const { Operator, calls } = recordingOperator({}, 'configmaps', ({ children }, { length }) => {
      if (length === 1) throw new TemporaryError('Not yet.', { delay: 5 });
      if (children.length === 0) throw new TemporaryError('Waits for children.', { delay: 3600 });
      if (children.length === 1) throw new PermanentError('Too few.');
    });
    await harness.run(Operator);
    const a = await harness.create('a');
    await harness.advance(6);
    expect(calls).toEqual(['a:', 'a:']);
    await createChild(harness, 'x', a);
    await harness.advance(1);
    await createChild(harness, 'y', a);
    await harness.advance(3600);
    expect(calls.slice(2)).toEqual(['a: x', 'a: x y']);
  });

  it('should not keep the parent from being deleted, nor be called for it then', async () => {
    const { Operator, calls } = recordingOperator();
    await harness.run(Operator);
    const a = await harness.create('a');
    await createChild(harness, 'x', a);
    await harness.advance(1);
    expect((await harness.object('a')).metadata.finalizers).toBeUndefined();
    calls.length = 0;
    await harness.delete('a');
    await harness.advance(10);
    expect(await harness.read('a')).toBeUndefined();
    expect(calls).toEqual([]);
  });

  it('should see after a restart what has changed while it was down', async () => {
    const first = recordingOperator();
    await harness.run(first.Operator);
    const a = await harness.create('a');
    for (const name of ['x', 'y']) await createChild(harness, name, a);
    await harness.advance(1);
    await harness.stop();
    await harness.send('DELETE', configMap('x'));
    await harness.send('DELETE', configMap('y'));
    const second = recordingOperator();
    await harness.run(second.Operator);
    await harness.advance(1);
    expect(second.calls).toEqual(['a:']);
  });

  it.each([
    ['for a while', 100],
    ['for good', Infinity],
  ])('should not be called again for what they have done where their progress is rejected %s', async (_, seconds) => {
    const { Operator, calls } = recordingOperator({ backoff: 5 }, 'configmaps', ({ retry, patch }) => {
      if (retry === 0) throw new TemporaryError('Not yet.', { delay: 1 });
      patch.status.counted = true;
    });
    const isRejected = ({ method, body }: KubeRequest): boolean =>
      method === 'PATCH' && body!.includes('/related.') && harness.clock.monotonic() / 1000 < seconds;
    await harness.run(Operator, {
      networking: { errorBackoffs: [] },
      intercept: (request) =>
        isRejected(request) ? errorResponse(403, 'Forbidden', 'annotations are not allowed') : undefined,
    });
    await harness.create('a');
    await harness.advance(1000);
    expect(calls).toEqual(['a:', 'a:']);
    const { metadata, status } = await harness.object('a');
    expect(status).toEqual({ counted: true });
    expect(Object.keys(metadata.annotations ?? {})).toEqual([]);
  });

  it('should have their progress removed once it can be, without another call', async () => {
    const { Operator, calls } = recordingOperator({}, 'configmaps', ({ retry }) => {
      if (retry === 0) throw new TemporaryError('Not yet.', { delay: 1 });
    });
    let isRejecting = false;
    await harness.run(Operator, {
      networking: { errorBackoffs: [] },
      intercept: ({ method, body }) =>
        isRejecting && method === 'PATCH' && body!.includes('/related.')
          ? errorResponse(403, 'Forbidden', 'annotations are not allowed')
          : undefined,
    });
    await harness.create('a');
    await harness.advance(0.5);
    isRejecting = true;
    await harness.advance(30);
    expect(Object.keys((await harness.object('a')).metadata.annotations ?? {})).toContain(
      'kopf.zalando.org/related.count',
    );
    isRejecting = false;
    await harness.advance(300);
    expect(Object.keys((await harness.object('a')).metadata.annotations ?? {})).not.toContain(
      'kopf.zalando.org/related.count',
    );
    expect(calls).toEqual(['a:', 'a:']);
  });

  describe('whose retry waits while the operator is down', () => {
    const retries: number[] = [];
    /** Starts another operator for each session, as a killed one still runs in this process. */
    const start = async () => {
      const { Operator, calls } = recordingOperator({ retries: 4 }, 'configmaps', ({ children, retry }) => {
        retries.push(retry);
        if (children.length < 2) throw new TemporaryError('Waits for children.', { delay: 3600 });
      });
      await harness.run(Operator);
      await harness.advance(1);
      return calls;
    };
    const stored = async () => {
      const { metadata } = await harness.object('a');
      return Object.keys(metadata.annotations ?? {}).filter((key) => key.startsWith('kopf.zalando.org/related.'));
    };

    beforeEach(async () => {
      await createChild(harness, 'x', await harness.create('a'));
      expect(await start()).toEqual(['a: x']);
      expect(await stored()).toEqual(['kopf.zalando.org/related.count']);
      retries.length = 0;
    });

    it('should be retried when the retry is due, with its attempts counted', async () => {
      harness.kill();
      const calls = await start();
      await harness.advance(3000);
      expect(calls).toEqual([]);
      await harness.advance(700);
      expect(calls).toEqual(['a: x']);
      await createChild(harness, 'y', await harness.object('a'));
      await harness.advance(1);
      expect(calls.at(-1)).toBe('a: x y');
      expect(await stored()).toEqual([]);
    });

    it('should be retried at once if a child has changed while it was down', async () => {
      await harness.stop();
      await harness.send('PATCH', configMap('x'), { data: { key: 'value' } });
      expect(await start()).toEqual(['a: x']);
      expect(retries).toEqual([1]);
    });

    it('should give up when the attempts of all sessions have reached the limit', async () => {
      for (let session = 0; session < 3; session += 1) {
        await harness.stop();
        await start();
        await harness.advance(3700);
      }
      expect(retries).toEqual([1, 2, 3]);
      expect(await stored()).toEqual([]);
    });
  });

  it('should keep its progress apart from that of the same method as a handler of changes', async () => {
    const calls: string[] = [];
    @Injectable()
    class Operator {
      @OnCreate(PARENT.plural, { retries: 3 })
      @OnChild(PARENT, 'configmaps')
      handle({ retry }: { readonly retry: number }) {
        calls.push(`${calls.length}: ${retry}`);
        if (calls.length < 5) throw new TemporaryError('Not yet.', { delay: calls.length % 2 ? 10 : 15 });
      }
    }
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(60);
    expect(calls.map((call) => call.split(': ')[1]).sort()).toEqual(['0', '0', '1', '1', '2', '2']);
    expect(Object.keys((await harness.object('a')).metadata.annotations ?? {}).sort()).toEqual([
      'kopf.zalando.org/last-handled-configuration',
    ]);
  });

  it('should notice what has happened while the watch was cut or expired', async () => {
    let isBroken = false;
    const intercept = ({ path }: KubeRequest) => {
      if (isBroken && path.includes('configmaps')) throw new Error('The connection is refused.');
      return undefined;
    };
    const { Operator, calls } = recordingOperator();
    await harness.run(Operator, { intercept, watching: { serverTimeout: 5 } });
    const a = await harness.create('a');
    await createChild(harness, 'x', a);
    await harness.advance(1);
    isBroken = true;
    await harness.advance(20);
    await harness.send('DELETE', configMap('x'));
    await createChild(harness, 'y', a);
    await harness.advance(5);
    expect(calls.at(-1)).toBe('a: x');
    isBroken = false;
    await harness.advance(60);
    expect(calls.at(-1)).toBe('a: y');
  });

  it('should wait until the children can be listed', async () => {
    let isForbidden = true;
    const intercept = ({ path }: KubeRequest) =>
      isForbidden && path.includes('configmaps')
        ? errorResponse(403, 'Forbidden', 'configmaps is forbidden')
        : undefined;
    const { Operator, calls } = recordingOperator();
    await harness.run(Operator, { intercept });
    await createChild(harness, 'x', await harness.create('a'));
    await harness.advance(5);
    expect(calls).toEqual([]);
    isForbidden = false;
    await harness.advance(60);
    expect(calls).toEqual(['a: x']);
  });

  it('should ask for the metadata of the children only', async () => {
    const accepted: (string | undefined)[] = [];
    const { Operator } = recordingOperator();
    await harness.run(Operator, {
      intercept: ({ path, headers }) => {
        if (path.includes('configmaps')) accepted.push(headers?.accept);
        return undefined;
      },
    });
    expect(accepted.length).toBeGreaterThan(0);
    expect(accepted.every((accept) => accept?.startsWith('application/json;as=PartialObjectMetadata'))).toBe(true);
  });

  describe('with ownedBy', () => {
    it('should be called for children of the kind only, with the parent in the context', async () => {
      const calls: string[] = [];
      @Injectable()
      class Operator {
        @OnCreate('configmaps', { ownedBy: PARENT })
        create({ name, parent }: ChangeContext) {
          calls.push(`${name} of ${parent?.metadata.name} with ${parent?.spec.field}`);
        }
      }
      await harness.run(Operator);
      const a = await harness.create('a');
      await createChild(harness, 'x', a);
      await createChild(harness, 'other', a, { controller: true, kind: 'Other' });
      await harness.send('POST', '/api/v1/namespaces/ns/configmaps', { metadata: { name: 'orphan' } });
      await harness.advance(2);
      expect(calls).toEqual(['x of a with v1']);
      const annotations = (await harness.send('GET', configMap('orphan'))).metadata.annotations;
      expect(annotations).toBeUndefined();
    });

    it('should be called for children that come before the operator knows the kind of their parents', async () => {
      const calls: string[] = [];
      @Injectable()
      class Operator {
        @OnCreate('configmaps', { ownedBy: PARENT })
        create({ name, parent }: ChangeContext) {
          calls.push(`${name} of ${parent?.metadata.name}`);
        }
      }
      await harness.undefine();
      await harness.run(Operator, { peering: { standalone: true } });
      await harness.advance(1);
      await harness.define();
      await createChild(harness, 'x', await harness.create('a'));
      await harness.advance(30);
      expect(calls).toEqual(['x of a']);
      await createChild(harness, 'y', await harness.object('a'));
      await harness.advance(1);
      expect(calls).toEqual(['x of a', 'y of a']);
    });

    it.each([
      ['the newest parent that the watch has told of, read once for each version', undefined, 2],
      ['a parent that is read for each call', true, 4],
    ])('should have %s', async (_what, fresh, reads) => {
      const calls: string[] = [];
      let count = 0;
      @Injectable()
      class Operator {
        @OnEvent('configmaps', { ownedBy: { resource: PARENT, fresh } })
        seen({ name, parent }: EventContext) {
          calls.push(`${name}: ${parent?.spec.field}`);
        }
      }
      const intercept = ({ path }: KubeRequest) => {
        if (path.includes('kopfexamples') && path.includes('metadata.name')) count += 1;
        return undefined;
      };
      await harness.run(Operator, { intercept });
      const a = await harness.create('a');
      await harness.advance(1);
      await createChild(harness, 'x', a);
      await createChild(harness, 'y', a);
      await harness.advance(1);
      await harness.patch('a', { spec: { field: 'v2' } });
      await harness.advance(1);
      await createChild(harness, 'z', a);
      await harness.send('PATCH', configMap('x'), { data: { key: 'value' } });
      await harness.advance(1);
      expect(calls).toEqual(['x: v1', 'y: v1', 'z: v2', 'x: v2']);
      expect(count).toBe(reads);
    });
  });

  it('should describe what is watched, for permissions', async () => {
    const { Operator } = recordingOperator();
    await harness.run(Operator);
    expect(harness.get(KopfRegistry).describe()).toMatchObject([
      { kind: 'child', id: 'count', related: ['configmaps'] },
    ]);
  });
});
