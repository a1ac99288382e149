import { Injectable } from '@nestjs/common';
import {
  OnChild,
  OnReference,
  References,
  TemporaryError,
  type ChildContext,
  type KubeRequest,
  type KubeResponse,
  type ReferenceContext,
} from 'nestjs-kopf';
import { KOPF_RESOURCE } from 'nestjs-kopf/decorators';
import { customResource, DEFINITIONS } from '../../support/clusters/cluster.user.js';
import { errorResponse, KEX, OperatorHarness } from '../../support/operators/operator.harness.js';
import { failOnUnhandledRejections } from '../../support/runner/unhandled.rejections.js';
import { configMap, createChild } from './relations.operator.js';

const [groupVersion, plural] = KEX;
const KIND = `${plural}.${groupVersion.split('/')[0]}`;

/** An operator that records for which objects it is called, with the existing and the missing references. */
function note(calls: string[], { name, referents, missing }: ReferenceContext): void {
  const found = referents.map((referent) => referent.name).sort();
  calls.push(`${name}: ${[...found, ...missing.map((reference) => `!${reference.name}`)].join(' ')}`);
}

function recordingOperator() {
  const calls: string[] = [];
  @Injectable()
  @References('spec.configRef', 'configmaps')
  class Operator {
    @OnReference(KIND, { condition: 'ReferencesResolved' })
    follow(context: ReferenceContext) {
      note(calls, context);
    }
  }
  return { Operator, calls };
}

describe('handlers of objects for what they refer to', () => {
  failOnUnhandledRejections();
  let harness: OperatorHarness;

  const put = (name: string, data = {}) =>
    harness.send('POST', '/api/v1/namespaces/ns/configmaps', { metadata: { name }, data });
  const conditionOf = async (name: string) => (await harness.object(name)).status?.conditions?.[0];

  beforeEach(async () => {
    harness = await OperatorHarness.start({ statusSubresource: true });
  });

  it('should be called when the object that is referred to appears, changes, and goes', async () => {
    const { Operator, calls } = recordingOperator();
    await harness.run(Operator);
    await harness.create('a', { spec: { configRef: 'x' } });
    await harness.create('b', { spec: { configRef: 'y' } });
    await harness.advance(1);
    expect(calls.splice(0)).toEqual(['a: !x', 'b: !y']);
    await put('x');
    await put('unrelated');
    await harness.advance(1);
    await harness.send('PATCH', configMap('x'), { data: { key: 'value' } });
    await harness.advance(1);
    await harness.send('DELETE', configMap('x'));
    await harness.advance(1);
    expect(calls).toEqual(['a: x', 'a: x', 'a: !x']);
  });

  it('should be called when the reference changes, and follow the new one only', async () => {
    const { Operator, calls } = recordingOperator();
    await harness.run(Operator);
    for (const name of ['x', 'y']) await put(name);
    await harness.create('a', { spec: { configRef: 'x' } });
    await harness.advance(1);
    await harness.patch('a', { spec: { configRef: 'y' } });
    await harness.patch('a', { spec: { other: 1 } });
    await harness.advance(1);
    await harness.send('DELETE', configMap('x'));
    await harness.advance(1);
    await harness.send('DELETE', configMap('y'));
    await harness.advance(1);
    expect(calls).toEqual(['a: x', 'a: y', 'a: !y']);
  });

  it('should show dangling references in a condition', async () => {
    const { Operator } = recordingOperator();
    await harness.run(Operator);
    await harness.create('a', { spec: { configRef: 'x' } });
    await harness.advance(1);
    expect(await conditionOf('a')).toEqual({
      type: 'ReferencesResolved',
      status: 'False',
      reason: 'NotFound',
      message: "spec.configRef: there is no 'x' of configmaps",
      observedGeneration: 1,
      lastTransitionTime: expect.any(String),
    });
    await put('x');
    await harness.advance(2);
    expect(await conditionOf('a')).toMatchObject({ status: 'True', reason: 'AllFound', message: '' });
  });

  it('should follow lists, namespaces, and several resources, declared on a typed resource', async () => {
    const calls: string[] = [];
    @References('spec.volumes[].configRef', 'configmaps')
    @References('spec.namespaceRef', 'namespaces')
    class Example {
      static readonly [KOPF_RESOURCE] = { group: 'kopf.dev', version: 'v1', plural: 'kopfexamples' };
    }
    @Injectable()
    class Operator {
      @OnReference(Example)
      follow(context: ReferenceContext) {
        note(calls, context);
      }
    }
    await harness.run(Operator);
    await put('x');
    const volumes = [{ configRef: 'x' }, { configRef: { name: 'z', namespace: 'other' } }, {}];
    await harness.create('a', { spec: { volumes, namespaceRef: 'other' } });
    await harness.advance(1);
    await harness.send('POST', '/api/v1/namespaces/other/configmaps', { metadata: { name: 'z' } });
    await harness.advance(1);
    expect(calls).toEqual(['a: other x !z', 'a: other x z']);
  });

  it('should end the waiting of a retry', async () => {
    const times: number[] = [];
    @Injectable()
    @References('spec.configRef', 'configmaps')
    class Operator {
      @OnReference(KIND)
      follow({ missing }: ReferenceContext) {
        times.push(harness.clock.now());
        if (missing.length > 0) throw new TemporaryError('There is no configuration.', { delay: 3600 });
      }
    }
    await harness.run(Operator);
    await harness.create('a', { spec: { configRef: 'x' } });
    await harness.advance(10);
    await put('x');
    await harness.advance(10);
    expect(times).toHaveLength(2);
    expect(times[1] - times[0]).toBeLessThan(12_000);
  });

  it('should see after a restart, and after an outage, what has changed before', async () => {
    const first = recordingOperator();
    await harness.run(first.Operator);
    await harness.create('a', { spec: { configRef: 'x' } });
    await harness.advance(1);
    await harness.stop();
    await put('x');
    let isBroken = false;
    const intercept = ({ path }: KubeRequest) => {
      if (isBroken && path.includes('configmaps')) throw new Error('The connection is refused.');
      return undefined;
    };
    const second = recordingOperator();
    await harness.run(second.Operator, { intercept, watching: { serverTimeout: 5 } });
    await harness.advance(1);
    isBroken = true;
    await harness.advance(10);
    await harness.send('DELETE', configMap('x'));
    isBroken = false;
    await harness.advance(60);
    expect(second.calls).toEqual(['a: x', 'a: !x']);
  });

  describe('to several resources, of which one is not there', () => {
    const later = (name: string, namespace = 'ns') =>
      harness.send('POST', `/apis/kopf.dev/v1/namespaces/${namespace}/laters`, {
        apiVersion: 'kopf.dev/v1',
        kind: 'Later',
        metadata: { name },
      });
    const defineLater = () => harness.send('POST', DEFINITIONS, customResource({ kind: 'Later' }));

    function operators() {
      const calls: string[] = [];
      @Injectable()
      @References('spec.map', 'configmaps')
      @References('spec.later', 'laters.kopf.dev')
      class Operator {
        @OnReference(KIND)
        follow(context: ReferenceContext) {
          note(calls, context);
        }
      }
      const neighbour: string[] = [];
      @Injectable()
      @References('spec.map', 'configmaps')
      class Neighbour {
        @OnReference(KIND)
        watch(context: ReferenceContext) {
          note(neighbour, context);
        }
      }
      const children: string[] = [];
      @Injectable()
      class Parent {
        @OnChild(KIND, 'configmaps')
        count({ name, children: found }: ChildContext) {
          children.push(`${name}: ${found.map((child) => child.name).join(' ')}`);
        }
      }
      return { handlers: [Operator, Neighbour, Parent], calls, neighbour, children };
    }

    it('should be called for the others, and say by name what is missing', async () => {
      const { handlers, calls, neighbour, children } = operators();
      await harness.run(handlers);
      const a = await harness.create('a', { spec: { map: 'x' } });
      // The operator discovers the resources again as long as one of them is missing.
      await harness.advance(120);
      await put('x');
      await createChild(harness, 'y', a);
      await harness.advance(1);
      expect({ calls, neighbour, children }).toEqual({
        calls: ['a: !x', 'a: x'],
        neighbour: ['a: !x', 'a: x'],
        children: ['a: ', 'a: y'],
      });
      expect(harness.logger.messages('warn').join()).toContain('laters.kopf.dev is not watched');
    });

    it('should count as one without objects until it comes, when it goes, and when it comes back', async () => {
      const { handlers, calls, neighbour } = operators();
      await harness.run(handlers);
      await put('x');
      await harness.create('a', { spec: { map: 'x', later: 'l' } });
      await harness.advance(60);
      expect(calls.splice(0)).toEqual(['a: x !l']);
      for (const _time of [1, 2]) {
        await defineLater();
        await harness.advance(60);
        await later('l');
        await harness.advance(2);
        expect(calls.splice(0).at(-1)).toBe('a: l x');
        await harness.send('DELETE', `${DEFINITIONS}/laters.kopf.dev`);
        await harness.advance(60);
        expect(calls.splice(0).at(-1)).toBe('a: x !l');
      }
      await harness.send('DELETE', configMap('x'));
      await harness.advance(2);
      expect(calls).toEqual(['a: !x !l']);
      expect(neighbour).toEqual(['a: x', 'a: !x']);
    });

    it.each<[string, () => KubeResponse]>([
      ['is forbidden', () => errorResponse(403, 'Forbidden', 'laters is forbidden')],
      ['cannot be listed for long', () => errorResponse(500, 'InternalError', 'the conversion has failed')],
    ])('should be called for the others while one %s, and for all of them later', async (_what, answer) => {
      const { handlers, calls } = operators();
      await defineLater();
      await harness.advance(1);
      await later('l');
      let isBroken = true;
      const intercept = ({ path }: KubeRequest) => (isBroken && path.includes('/laters') ? answer() : undefined);
      await harness.run(handlers, { intercept });
      await harness.create('a', { spec: { map: 'x', later: 'l' } });
      await harness.advance(120);
      await put('x');
      await harness.advance(2);
      expect(calls.splice(0)).toEqual(['a: !x !l', 'a: x !l']);
      expect(harness.logger.messages('warn').join()).toContain('laters.kopf.dev');
      isBroken = false;
      await harness.advance(60);
      expect(calls).toEqual(['a: l x']);
    });
  });

  it('should forget what is in a namespace that is not served any more', async () => {
    const calls: string[] = [];
    @Injectable()
    @References('spec.map', 'configmaps')
    class Operator {
      @OnReference(KIND)
      follow(context: ReferenceContext) {
        note(calls, context);
      }
    }
    await harness.send('POST', '/api/v1/namespaces', { metadata: { name: 'ns-2' } });
    await harness.send('POST', '/api/v1/namespaces/ns-2/configmaps', { metadata: { name: 'x' } });
    let isBroken = false;
    const intercept = ({ path }: KubeRequest) => {
      if (isBroken && path.includes('/ns-2/')) throw new Error('The connection is refused.');
      return undefined;
    };
    await harness.run(Operator, { namespaces: ['ns', 'ns-*'], intercept, watching: { serverTimeout: 5 } });
    await harness.create('a', { spec: { map: { name: 'x', namespace: 'ns-2' } } });
    await harness.advance(2);
    isBroken = true;
    await harness.advance(10);
    await harness.send('DELETE', '/api/v1/namespaces/ns-2');
    await harness.advance(30);
    expect(calls).toEqual(['a: x', 'a: !x']);
  });

  it('should refuse handlers without references', async () => {
    @Injectable()
    class Operator {
      @OnReference(KIND)
      follow() {}
    }
    await expect(harness.run(Operator)).rejects.toThrow(/there are no references to follow; add @References\(\)/);
  });
});
