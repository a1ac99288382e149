import type { KubeObject } from '../resources/kube-object.js';
import { NullJournal } from './journal.js';
import { ObjectStore } from './object.store.js';
import type { StoredObject } from './stored.object.js';

const object = (name: string, more: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name, namespace: 'home', labels: { app: name.slice(0, 1) } },
  data: { text: `ü${'x'.repeat(1000)}` },
  ...more,
});

const COUNT = 2000;

let store: ObjectStore;
beforeEach(() => {
  store = new ObjectStore(new NullJournal(), 10);
  for (let index = 0; index < COUNT; index += 1) store.create('things', object(`t-${index}`, { index }));
});
const get = (index: number) => store.collection('things').get('home', `t-${index}`)!;
const bytesOf = (stored: StoredObject, from = 0) => Buffer.concat(stored.partsFrom(from)!).toString();
const packed = () =>
  store
    .collection('things')
    .list()
    .filter((each) => !each.isParsed).length;

describe('an object that nobody looks at', () => {
  it('should be kept as text, with its key, labels and bytes at hand', () => {
    expect(packed()).toBeGreaterThan(COUNT - 300);
    const stored = get(5);
    expect([stored.isParsed, stored.namespace, stored.name, stored.labels]).toEqual([
      false,
      'home',
      't-5',
      { app: 't' },
    ]);
    expect(bytesOf(stored)).toBe(stored.json);
    expect(bytesOf(stored, 7)).toBe(stored.json.slice(7));
    expect(stored.startsWith('{"apiVersion":"v1"')).toBe(true);
    expect(stored.read()).toMatchObject({ index: 5, metadata: { resourceVersion: '7' } });
    expect(stored.isParsed).toBe(false);
  });

  it('should be parsed when it is asked for, and stay so', () => {
    const stored = get(5);
    expect(stored.object).toMatchObject({ index: 5 });
    expect(stored.object).toBe(stored.object);
  });

  it('should stay parsed if it is read between writes', () => {
    const fresh = store.create('things', object('fresh'));
    expect(fresh.object.metadata.name).toBe('fresh');
    for (let index = 0; index < COUNT; index += 1) store.create('others', object(`o-${index}`));
    expect(fresh.isParsed).toBe(true);
  });

  it('should keep its text while most others go', () => {
    const kept = [1500, 3, 777].map(get);
    const texts = kept.map(({ json }) => json);
    for (const each of store.collection('things').list()) if (!kept.includes(each)) store.delete('things', each);
    expect(kept.map(({ json }) => json)).toEqual(texts);
    expect(
      store
        .collection('things')
        .list()
        .map(({ name }) => name),
    ).toEqual(['t-1500', 't-3', 't-777']);
  });

  it('should show its states of the past', () => {
    const before = get(9);
    const after = store.update('things', before, object('t-9', { index: 'new' }));
    expect([before.object['index'], after.object['index']]).toEqual([9, 'new']);
  });
});

describe('labels', () => {
  const found = (...values: string[]) =>
    store
      .collection('things')
      .labelled('color', values)
      .map(({ name }) => name);
  const colored = (name: string, color: string) =>
    ({ apiVersion: 'v1', kind: 'Thing', metadata: { name, namespace: 'home', labels: { color } } }) as KubeObject;

  it('should be found by their values, whatever changes', () => {
    const b = store.create('things', colored('b', 'red'));
    expect(found('red')).toEqual(['b']);
    store.create('things', colored('a', 'red'));
    const c = store.create('things', colored('c', 'green'));
    expect([found('red'), found('red', 'green', 'red'), found('blue')]).toEqual([['a', 'b'], ['a', 'b', 'c'], []]);
    store.update('things', b, colored('b', 'blue'));
    store.delete('things', c);
    expect([found('red'), found('green'), found('blue')]).toEqual([['a'], [], ['b']]);
  });

  it('should be indexed in slices, while objects come and go', async () => {
    const things = store.collection('things');
    for (let index = 0; index < 6000; index += 1) store.create('things', colored(`c-${index}`, `c${index % 100}`));
    const indexed = things.prepareLabel('color');
    expect(things.prepareLabel('color')).toBe(indexed);
    store.update('things', things.get('home', 'c-0')!, colored('c-0', 'c1'));
    store.delete('things', things.get('home', 'c-5999')!);
    await new Promise(setImmediate);
    store.update('things', things.get('home', 'c-1')!, colored('c-1', 'c0'));
    store.create('things', colored('late', 'c99'));
    await indexed;
    expect(things.prepareLabel('color')).toBeUndefined();
    const names = (digit: number) =>
      Array.from({ length: 60 }, (_, index) => `c-${index * 100 + digit}`).filter(
        (name) => !/^c-([01]|5999)$/.test(name),
      );
    expect(found('c0')).toEqual(['c-1', ...names(0)].sort());
    expect(found('c1')).toEqual(['c-0', ...names(1)].sort());
    expect(found('c99')).toEqual([...names(99), 'late'].sort());
  });
});

describe('an account of owners', () => {
  const account = (time: number) => [
    { manager: 'ü', operation: 'Update', time, fieldsV1: { 'f:data': { 'f:text': {} }, 'v:["}]"]': {} } },
  ];
  const create = (name: string, managedFields: object[], annotations?: Record<string, string>) =>
    store.create('owned', {
      apiVersion: 'v1',
      kind: 'Thing',
      metadata: { name, annotations: { note: 'ä', ...annotations }, managedFields },
      data: { text: 'x'.repeat(1000) },
    } as unknown as KubeObject);

  it('should be kept once for all objects that have it, and be part of their texts', () => {
    const odd = { 'kubectl.kubernetes.io/last-applied-configuration': '{"metadata":{"managedFields":[{}]}}' };
    const objects = Array.from({ length: COUNT }, (_, index) =>
      create(`o-${index}`, account(index % 7 ? 1 : index), index % 3 ? undefined : odd),
    );
    const expected = objects.map(({ revision }, index) => ({
      index,
      note: 'ä',
      managedFields: account(index % 7 ? 1 : index),
      resourceVersion: String(revision),
    }));
    const shown = objects.map((each, index) => {
      const { metadata } = each.read();
      const { annotations, managedFields, resourceVersion } = metadata;
      if (!each.isParsed) expect(bytesOf(each, 7)).toBe(each.json.slice(7));
      expect(each.startsWith('{"apiVersion":"v1"')).toBe(true);
      return { index, note: annotations?.['note'], managedFields, resourceVersion };
    });
    expect(shown).toEqual(expected);
    expect(objects.filter(({ isParsed }) => !isParsed).length).toBeGreaterThan(COUNT - 300);
  });
});
