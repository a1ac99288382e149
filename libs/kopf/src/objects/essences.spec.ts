import fc from 'fast-check';
import type { KubeObject } from './kube-object.js';
import { buildEssence, dropEmptyParts, removeAnnotations, removeStatusState } from './essences.js';
import { deepCopy } from 'kube-common';

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

describe('removeStatusState', () => {
  const record = { started: '2020-12-31T23:59:59.123456+00:00', retries: 0, success: false, failure: false };
  const essence = '{"spec":{"a":1},"metadata":{"labels":{"l":"v"}}}';

  it.each<[string, unknown]>([
    ['progress of Kopf', { kopf: { progress: { create: record, 'create/sub': { ...record, stopped: null } } } }],
    ['progress in a field of its own', { progress: { create: record } }],
    ['progress right in the status', { create: record }],
    ['an essence of Kopf', { kopf: { 'last-handled-configuration': '{"other":1}' } }],
    ['an empty essence', { last: '{}' }],
    ['an essence in a field of its own', { other: { last: essence } }],
    ['an essence right in the status', { last: essence }],
    ['an essence of the status', { last: '{"status":{"phase":"Ready"}}' }],
    ['an essence of another part of the object', { last: '{"data":{"a":"b"}}' }],
    ['a hash of an essence', { last: '{"$essenceHash":"blake2b:x"}' }],
    ['a touch', { kopf: { dummy: '2020-12-31T23:59:59.123456+00:00' } }],
  ])('should remove in place what operators keep there: %s', (_, status) => {
    const whole = { data: {}, status: { phase: 'Ready', ...(status as object) } };
    removeStatusState(whole, [['status']]);
    expect(whole).toEqual({ data: {}, status: { phase: 'Ready' } });
  });

  it.each<[string, unknown]>([
    ['texts', { phase: 'Ready', dummy: 'text', at: '2020-12-31T23:59:59.123456+00:00' }],
    ['JSON of other things', { answer: '{"status":"ok"}', last: '{"items":[1]}', list: '["spec"]' }],
    ['copies of objects', { applied: '{"apiVersion":"v1","kind":"Pod","spec":{}}' }],
    ['copies of the metadata', { applied: '{"spec":{},"metadata":{"name":"a"}}' }],
    ['what looks like JSON', { text: '{"spec":' }],
    ['results', { create: { started: 'now', success: true } }],
    ['empty maps', { empty: {}, nested: { empty: {} } }],
  ])('should leave what users keep there: %s', (_, status) => {
    const whole = { spec: {}, status };
    removeStatusState(whole, [['status']]);
    expect(whole).toEqual({ spec: {}, status });
  });

  it('should leave the state that a handler names', () => {
    const whole = { status: { kopf: { progress: { create: record, update: record } } } };
    removeStatusState(whole, [['status', 'kopf', 'progress', 'create', 'retries']]);
    expect(whole).toEqual({ status: { kopf: { progress: { create: record } } } });
  });

  it('should leave no empty status', () => {
    const whole = { spec: {}, status: { kopf: { progress: { create: record } } } };
    removeStatusState(whole, []);
    expect(whole).toEqual({ spec: {} });
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
