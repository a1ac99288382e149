import type { KubeObject } from './kube-object.js';
import { ResourcePatch } from './patches.js';
import { transformed } from './transformations.js';
import type { FieldTransformation } from './patch-content.js';
import { computeJsonPatch, type JsonPatchOperation } from './json-patch.js';

/** Returns the JSON patch that is sent for the transformations. */
function operationsOf(
  body: KubeObject,
  transformations: readonly FieldTransformation[],
): readonly JsonPatchOperation[] {
  return computeJsonPatch(body, transformed(body, transformations));
}

describe('ResourcePatch', () => {
  it('should be empty until something is written', () => {
    const patch = new ResourcePatch();

    void [patch.spec, patch.status, patch.meta, patch.metadata.labels, patch.metadata.annotations];
    patch.merge({ status: {} });

    expect(patch.isEmpty).toBe(true);
    expect(patch.toMergePatch()).toBeUndefined();
  });

  it('should collect what is written into its parts', () => {
    const patch = new ResourcePatch();
    const { status } = patch;

    status.phase = 'Ready';
    patch.spec.list = [1];
    patch.metadata.labels.a = null;
    patch.meta.annotations['example.com/b'] = 'c';

    expect(patch.isEmpty).toBe(false);
    expect(patch.toMergePatch()).toEqual({
      status: { phase: 'Ready' },
      spec: { list: [1] },
      metadata: { labels: { a: null }, annotations: { 'example.com/b': 'c' } },
    });
  });

  it('should leave out the maps of the metadata that stayed empty', () => {
    const patch = new ResourcePatch();
    patch.metadata.labels.a = 'b';
    patch.metadata.ownerReferences = [];

    expect(patch.toMergePatch()).toEqual({ metadata: { labels: { a: 'b' }, ownerReferences: [] } });
  });

  it('should keep inner empty maps, which create fields', () => {
    const patch = new ResourcePatch();
    patch.status.conditions = {};
    expect(patch.toMergePatch()).toEqual({ status: { conditions: {} } });
  });

  it('should merge maps and replace everything else', () => {
    const patch = new ResourcePatch();
    const { status } = patch;
    status.a = { x: 1, list: [1, 2] };
    const fields = { status: { a: { y: 2, list: [3] }, b: null }, data: { key: 'value' } };

    patch.merge(fields);
    patch.merge({ data: { other: 'value' } });

    expect(patch.toMergePatch()).toEqual({
      status: { a: { x: 1, y: 2, list: [3] }, b: null },
      data: { key: 'value', other: 'value' },
    });
    expect(status.b).toBeNull();
    expect(fields.data).toEqual({ key: 'value' });
  });

  it('should merge values as they are serialised, wherever they are', () => {
    const patch = new ResourcePatch();
    patch.status.since = { seconds: 1 };
    const date = new Date(0);
    patch.merge({
      status: { since: date, all: [date, { at: date }], deep: { at: date }, size: { toJSON: () => '1Gi' } },
    });

    const text = '1970-01-01T00:00:00.000Z';
    const status = { since: text, all: [text, { at: text }], deep: { at: text }, size: '1Gi' };
    expect(patch.toMergePatch()).toEqual({ status });
  });

  it('should merge a removal of a whole part', () => {
    const patch = new ResourcePatch();
    patch.merge({ spec: null, metadata: { labels: null } });
    patch.metadata.annotations.a = 'b';

    expect(patch.toMergePatch()).toEqual({ spec: null, metadata: { labels: null, annotations: { a: 'b' } } });

    patch.merge({ metadata: null });
    expect(patch.toMergePatch()).toEqual({ spec: null, metadata: null });
    patch.spec.a = 1;
    expect(patch.toMergePatch()).toEqual({ spec: { a: 1 }, metadata: null });
  });

  it('should be settled as JSON, with the parts that handlers hold', () => {
    const patch = new ResourcePatch();
    const { status } = patch;
    const nested = { list: [1] };
    Object.assign(status, { at: new Date(0), nothing: undefined, nested });
    patch.metadata.annotations.a = { toJSON: () => 'text' } as never;

    patch.settle();

    expect(patch.toMergePatch()).toEqual({
      status: { at: '1970-01-01T00:00:00.000Z', nested: { list: [1] } },
      metadata: { annotations: { a: 'text' } },
    });
    expect(Object.keys(status)).toEqual(['at', 'nested']);
    status.later = 1;
    nested.list.push(2);
    expect(patch.toMergePatch()).toMatchObject({ status: { later: 1, nested: { list: [1, 2] } } });
  });

  it('should lose no more than the fields that cannot be sent, and name them', () => {
    const patch = new ResourcePatch();
    Object.assign(patch.status, { size: NaN, phase: 'Ready' });
    patch.spec.list = [{ made: new Map() }];
    Object.assign(patch.metadata.annotations, { 'example.com/a': 5, b: 'c' });

    expect(() => patch.settle()).toThrow(
      "The patch cannot be sent: patch.status.size is NaN; patch.spec.list[0].made is a Map; patch.metadata.annotations['example.com/a'] is not a text.",
    );
    expect(patch.toMergePatch()).toEqual({ status: { phase: 'Ready' }, metadata: { annotations: { b: 'c' } } });
    expect(() => patch.settle()).not.toThrow();
  });

  it.each<[string, (patch: ResourcePatch) => void]>([
    ['patch.metadata is not a map', (patch) => patch.merge({ metadata: null })],
    ['patch.metadata.annotations is not a map', (patch) => patch.merge({ metadata: { annotations: null } })],
    ['patch.metadata.labels is not a map', (patch) => patch.merge({ metadata: { labels: 'a=b' } })],
    ['patch.metadata.labels.a is not a text', (patch) => patch.merge({ metadata: { labels: { a: true } } })],
    ['patch.metadata.finalizers is not a list of texts', (patch) => patch.merge({ metadata: { finalizers: [1] } })],
    ['patch.metadata.ownerReferences is not a list of maps', (patch) => (patch.metadata.ownerReferences = [null])],
    ['patch.status is not a map', (patch) => patch.merge({ status: 'Ready' })],
  ])('should not be settled with what no API server takes: %s', (problem, write) => {
    const patch = new ResourcePatch();
    write(patch);
    expect(() => patch.settle()).toThrow(`The patch cannot be sent: ${problem}.`);
    expect(patch.isEmpty).toBe(true);
  });

  it('should be settled with removals', () => {
    const patch = new ResourcePatch();
    const fields = { spec: null, status: null, metadata: { labels: null, finalizers: null, annotations: { a: null } } };
    patch.merge(fields);
    patch.settle();
    expect(patch.toMergePatch()).toEqual(fields);
  });

  it('should not write into the labels and annotations of the handler', () => {
    const common = { a: 'b', c: 5 };
    const patch = new ResourcePatch();
    patch.metadata.annotations = common as never;
    expect(() => patch.settle()).toThrow('patch.metadata.annotations.c is not a text');
    patch.metadata.annotations.own = 'x';
    expect(common).toEqual({ a: 'b', c: 5 });
    expect(patch.toMergePatch()).toEqual({ metadata: { annotations: { a: 'b', own: 'x' } } });
  });

  it('should take nothing but maps to merge, and functions as transformations', () => {
    const patch = new ResourcePatch();
    expect(() => patch.merge(undefined as never)).toThrow('patch.merge() takes a map of fields.');
    expect(() => patch.merge({ data: { a: NaN } })).toThrow('patch.data.a is NaN');
    expect(() => patch.transform({} as never)).toThrow('patch.transform() takes a function.');
    expect(patch.isEmpty).toBe(true);
  });

  it('should not let fields reach what all objects inherit', () => {
    const patch = new ResourcePatch();
    patch.merge(JSON.parse('{"__proto__":{"polluted":1},"constructor":{"polluted":1}}'));

    expect(({} as { polluted?: number }).polluted).toBeUndefined();
    expect((Object as { polluted?: number }).polluted).toBeUndefined();
    expect(JSON.stringify(patch.toMergePatch())).toBe('{"__proto__":{"polluted":1},"constructor":{"polluted":1}}');
  });

  it('should collect transformations, beginning with those that could not be sent before', () => {
    const remaining = (): void => {};
    const added = (): void => {};
    const patch = new ResourcePatch({ fields: {}, transformations: [remaining] });
    patch.transform(added);

    expect(patch.isEmpty).toBe(false);
    expect(patch.transformations).toEqual([remaining, added]);
    expect(patch.toMergePatch()).toBeUndefined();
  });

  it('should be empty when cleared', () => {
    const patch = new ResourcePatch({ fields: { spec: { a: 1 } }, transformations: [(): void => {}] });
    patch.spec.a = 1;
    patch.clear();

    expect(patch.isEmpty).toBe(true);
    expect(patch.transformations).toEqual([]);
  });
});

describe('transformed', () => {
  it('should keep the state of operators where all annotations are replaced, and only there', () => {
    const annotations = {
      'kopf.zalando.org/last-handled-configuration': '{}',
      'own.example.com/kopf-managed': 'yes',
      'own.example.com/create': '{}',
      other: 'x',
    };
    const body: KubeObject = { metadata: { name: 'a', annotations } };
    const { other: _, ...state } = annotations;
    const after = (step: FieldTransformation) => transformed(body, [step]).metadata.annotations;
    expect(after((copy) => void (copy.metadata.annotations = { own: 'y' }))).toEqual({ ...state, own: 'y' });
    expect(after((copy) => void delete copy.metadata.annotations)).toEqual(state);
    expect(after((copy) => void delete copy.metadata.annotations!['own.example.com/create'])).not.toHaveProperty([
      'own.example.com/create',
    ]);
  });

  it.each<[string, (body: KubeObject) => void]>([
    ['body.spec.size is NaN', (body) => void (body.spec.size = NaN)],
    ['body.status.made is a Map', (body) => void (body.status = { made: new Map() })],
    ['must not change metadata.uid', (body) => void (body.metadata.uid = 'v')],
    ['must not change metadata.resourceVersion', (body) => void delete body.metadata.resourceVersion],
  ])('should refuse what cannot be sent: %s', (message, step) => {
    const body: KubeObject = { metadata: { name: 'a', uid: 'u', resourceVersion: '1' }, spec: {} };
    expect(() => transformed(body, [step])).toThrow(message);
  });

  const body: KubeObject = { apiVersion: 'v1', kind: 'X', metadata: { name: 'a' }, spec: { field: 'v1' } };

  it('should express what the transformations change, and leave the object alone', () => {
    const operations = operationsOf(body, [
      (object): void => {
        (object.metadata.labels ??= {}).made = 'yes';
        object.spec.list = [1];
      },
      (object): void => void object.spec.list.push(2),
    ]);

    expect(operations).toEqual([
      { op: 'add', path: '/metadata/labels', value: { made: 'yes' } },
      { op: 'add', path: '/spec/list', value: [1, 2] },
    ]);
    expect(body).toEqual({ apiVersion: 'v1', kind: 'X', metadata: { name: 'a' }, spec: { field: 'v1' } });
  });

  it('should have nothing to do without transformations, or when they change nothing', () => {
    expect(operationsOf(body, [])).toEqual([]);
    expect(operationsOf(body, [(): void => {}])).toEqual([]);
  });

  it('should refuse asynchronous transformations, and not let their errors end the process', async () => {
    const fail = async (): Promise<void> => Promise.reject(new Error('too late'));
    expect(() => operationsOf(body, [fail])).toThrow('has returned a promise');
    await new Promise((resolve) => setImmediate(resolve));
  });

  it('should copy only the fields that the transformations promise to change', () => {
    const object: KubeObject = { metadata: { name: 'a', finalizers: ['x'] }, spec: {} };
    let seen: KubeObject | undefined;
    const transformation: FieldTransformation = Object.assign(
      (copy: KubeObject): void => {
        seen = copy;
        copy.metadata.finalizers?.push('y');
        (copy.status ??= {}).done = true;
      },
      { field: ['metadata', 'finalizers'] },
    );
    const other: FieldTransformation = Object.assign((): void => {}, { field: ['status', 'done'] });

    expect(operationsOf(object, [transformation, other])).toEqual([
      { op: 'add', path: '/status', value: { done: true } },
      { op: 'add', path: '/metadata/finalizers/1', value: 'y' },
    ]);
    expect(seen?.spec).toBe(object.spec);
    expect(object).toEqual({ metadata: { name: 'a', finalizers: ['x'] }, spec: {} });
  });
});
