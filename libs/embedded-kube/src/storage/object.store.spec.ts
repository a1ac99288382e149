import type { KubeObject } from '../resources/kube-object.js';
import { NullJournal } from './journal.js';
import { ObjectStore, StaleWriteError } from './object.store.js';

const object = (name: string, namespace?: string, more: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name, ...(namespace && { namespace }) },
  ...more,
});
const names = (objects: readonly { namespace: string; name: string }[]): string[] =>
  objects.map((each) => `${each.namespace}/${each.name}`);

let store: ObjectStore;
beforeEach(() => {
  store = new ObjectStore(new NullJournal(), 100);
});

describe('ObjectStore', () => {
  it('should count one revision over all resources', () => {
    const first = store.create('things', object('a'));
    const second = store.create('others', object('b'));
    const third = store.update('things', first, object('a', undefined, { spec: 1 }));
    expect([first, second, third].map(({ revision }) => revision)).toEqual([2, 3, 4]);
    expect(third.object.metadata.resourceVersion).toBe('4');
    expect(store.revision).toBe(4);
  });

  it('should list in the order of keys, as etcd does', () => {
    for (const [name, namespace] of [
      ['b', 'a'],
      ['a', 'a'],
      ['x', 'a-b'],
      ['x', 'b'],
      ['c.d', 'a'],
      ['c', 'a'],
    ] as const) {
      store.create('things', object(name, namespace));
    }
    expect(names(store.collection('things').list())).toEqual(['a-b/x', 'a/a', 'a/b', 'a/c', 'a/c.d', 'b/x']);
    expect(names(store.collection('things').list('b'))).toEqual(['b/x']);
  });

  it('should list what was there at an earlier revision', () => {
    const a = store.create('things', object('a', 'n'));
    const b = store.create('things', object('b', 'n'));
    const then = store.revision;
    store.create('things', object('aa', 'n'));
    store.update('things', b, object('b', 'n', { spec: 2 }));
    store.delete('things', a);
    const past = [...store.collection('things').view(then).after()];
    expect(names(past)).toEqual(['n/a', 'n/b']);
    expect(past[1]).toBe(b);
    expect(names([...store.collection('things').view(then, 'other').after()])).toEqual([]);
  });

  it('should refuse writes that are based on an older state', () => {
    const first = store.create('things', object('a'));
    store.update('things', first, object('a'));
    expect(() => store.update('things', first, object('a'))).toThrow(StaleWriteError);
    expect(() => store.delete('things', first)).toThrow(StaleWriteError);
    expect(() => store.create('things', object('a'))).toThrow(StaleWriteError);
    expect(store.revision).toBe(3);
  });

  it('should tell listeners in the order of revisions even if one of them writes', () => {
    const told: string[] = [];
    store.collection('things').subscribe(({ type, current }) => {
      if (type === 'ADDED') store.update('things', current, object('a', undefined, { status: 1 }));
    });
    store.collection('things').subscribe(({ type, revision }) => told.push(`${type} ${revision}`));
    store.create('things', object('a'));
    expect(told).toEqual(['ADDED 2', 'MODIFIED 3']);
  });

  it('should give a deletion a revision of its own and the last state', () => {
    const first = store.create('things', object('a'));
    const gone = store.delete('things', first);
    expect(gone.object.metadata).toEqual({ name: 'a', resourceVersion: '3' });
    expect(store.collection('things').size).toBe(0);
  });

  it('should not write what the journal refuses', () => {
    const journal = new NullJournal();
    journal.append = () => {
      throw new Error('disk full');
    };
    const refusing = new ObjectStore(journal, 10);
    expect(() => refusing.create('things', object('a'))).toThrow('disk full');
    expect(refusing.collection('things').size).toBe(0);
    expect(refusing.revision).toBe(1);
  });
});
