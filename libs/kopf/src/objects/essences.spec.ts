import fc from 'fast-check';
import type { KubeObject } from './kube-object.js';
import { buildEssence, dropEmptyParts, removeAnnotations } from './essences.js';
import { deepCopy } from './json.js';

describe('buildEssence', () => {
  it("should keep the users' fields in their order, with the metadata last", () => {
    const body: KubeObject = {
      apiVersion: 'kopf.dev/v1',
      kind: 'KopfExample',
      metadata: { name: 'a', uid: 'u', annotations: { 'other/a': 'b' }, labels: { l: 'v' }, generation: 1 },
      spec: { b: 1, a: 2 },
      data: { key: 'value' },
      status: { phase: 'Ready' },
    };

    expect(JSON.stringify(buildEssence(body, []))).toBe(
      '{"spec":{"b":1,"a":2},"data":{"key":"value"},"metadata":{"labels":{"l":"v"},"annotations":{"other/a":"b"}}}',
    );
  });

  it('should be a deep copy', () => {
    const body: KubeObject = { metadata: { labels: { l: 'v' } }, spec: { list: [{ a: 1 }] }, status: { x: { y: 1 } } };
    const essence = buildEssence(body, [['status', 'x']]) as any;
    essence.spec.list[0].a = 2;
    essence.metadata.labels.l = 'w';
    essence.status.x.y = 2;

    expect(body).toEqual({ metadata: { labels: { l: 'v' } }, spec: { list: [{ a: 1 }] }, status: { x: { y: 1 } } });
  });

  it('should leave out what operators and kubectl wrote', () => {
    const annotations = {
      'kopf.zalando.org/create': '{}',
      'sub.kopf.zalando.org/create': '{}',
      'my-op.example.com/create': '{}',
      'my-op.example.com/kopf-managed': 'yes',
      'kubectl.kubernetes.io/last-applied-configuration': '{}',
      'kopf.dev/x': 'kept',
      'notkopf.zalando.org/x': 'kept',
      'my-op.example.com.x/y': 'kept',
      'kopf-managed': 'kept',
    };

    expect(buildEssence({ metadata: { annotations } }, [])).toEqual({
      metadata: {
        annotations: {
          'kopf.dev/x': 'kept',
          'notkopf.zalando.org/x': 'kept',
          'my-op.example.com.x/y': 'kept',
          'kopf-managed': 'kept',
        },
      },
    });
  });

  it.each<[object, string[][], object]>([
    [{ status: { x: 1, y: 2 } }, [['status', 'x']], { status: { x: 1 } }],
    [{ status: { x: null } }, [['status', 'x']], { status: { x: null } }],
    [{ status: { y: 2 } }, [['status', 'x']], {}],
    [{ status: {} }, [['status']], {}],
    [{ status: null }, [['status']], {}],
    [{ status: 'text' }, [['status', 'x'], ['status']], { status: 'text' }],
    [{ metadata: { finalizers: ['f'] } }, [['metadata', 'finalizers']], { metadata: { finalizers: ['f'] } }],
    [{ metadata: { labels: null, annotations: null } }, [], {}],
    [{ metadata: { labels: {}, annotations: {} }, spec: {} }, [[]], { spec: {} }],
    [{}, [['status']], {}],
  ])('should pick from %j the extra fields %j', (body, extraFields, expected) => {
    expect(buildEssence(body as KubeObject, extraFields)).toEqual(expected);
  });

  it('should leave out ignored fields with what they leave empty', () => {
    const body = { metadata: { labels: { l: 'v' } }, spec: { replicas: 1 }, status: { x: 1 } };
    const ignored = [['spec', 'replicas'], ['metadata', 'labels', 'l'], ['status']];

    expect(buildEssence(body, [['status', 'x']], ignored)).toEqual({});
  });

  it('should be stable under changes of the status, of system fields, and of own annotations', () => {
    const texts = fc.dictionary(fc.string(), fc.string());
    const user = fc.record({ spec: fc.jsonValue(), data: texts, labels: texts, annotations: texts });
    const system = fc.record({
      status: fc.jsonValue(),
      generation: fc.nat(),
      resourceVersion: fc.string(),
      managedFields: fc.array(fc.jsonValue()),
      state: fc.string(),
    });
    const create = (
      { labels, annotations, ...fields }: { labels: Record<string, string>; annotations: Record<string, string> },
      { status, state, ...metadata }: { status: unknown; state: string },
    ): KubeObject => ({
      ...deepCopy(fields),
      metadata: { ...metadata, labels, annotations: { ...annotations, 'kopf.zalando.org/create': state } },
      status,
    });

    fc.assert(
      fc.property(user, system, system, (fields, before, after) => {
        expect(JSON.stringify(buildEssence(create(fields, before), []))).toBe(
          JSON.stringify(buildEssence(create(fields, after), [])),
        );
      }),
    );
  });
});

describe('removeAnnotations', () => {
  it('should remove in place those that satisfy the condition', () => {
    const essence = { metadata: { annotations: { a: '1', b: '2' } } };
    removeAnnotations(essence, (name) => name === 'a');
    expect(essence).toEqual({ metadata: { annotations: { b: '2' } } });
  });

  it('should accept essences without annotations', () => {
    const essence = { spec: {} };
    removeAnnotations(essence, () => true);
    expect(essence).toEqual({ spec: {} });
  });
});

describe('dropEmptyParts', () => {
  it('should drop the parts of the metadata, the metadata, and the status once they are empty', () => {
    const essence = { spec: {}, metadata: { labels: {}, annotations: {} }, status: {} };
    dropEmptyParts(essence);
    expect(essence).toEqual({ spec: {} });
  });
});
