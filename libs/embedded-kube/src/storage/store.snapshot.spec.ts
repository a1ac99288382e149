import fc from 'fast-check';
import type { KubeObject } from '../resources/kube-object.js';
import { NullJournal } from './journal.js';
import { ObjectStore } from './object.store.js';
import type { StorageEvent } from './stored.object.js';

const object = (namespace: string, name: string, revision: number): KubeObject =>
  ({ apiVersion: 'v1', kind: 'Thing', metadata: { name, ...(namespace && { namespace }) }, revision }) as KubeObject;
const change = fc.tuple(
  fc.constantFrom('things', 'others'),
  fc.constantFrom('', 'a', 'b'),
  fc.constantFrom('a', 'b', 'c'),
  fc.boolean(),
);
const changes = fc.array(change, { maxLength: 12 });
type Changes = readonly (readonly [string, string, string, boolean])[];

const create = (): ObjectStore => new ObjectStore(new NullJournal(), 1000);
const write = (store: ObjectStore, all: Changes): void => {
  for (const [key, namespace, name, isDeletion] of all) {
    const current = store.collection(key).get(namespace, name);
    if (!current) store.create(key, object(namespace, name, store.revision));
    else if (isDeletion) store.delete(key, current);
    else store.update(key, current, object(namespace, name, store.revision));
  }
};
const stateOf = (store: ObjectStore): unknown => [
  store.revision,
  ...['things', 'others'].map((key) => [
    store.collection(key).list(),
    store.collection(key).history.since(0),
    store.collection(key).history.compacted,
  ]),
];

describe('a snapshot of the store', () => {
  it('should stay as it is, whoever writes', () => {
    fc.assert(
      fc.property(changes, changes, changes, (before, after, elsewhere) => {
        const store = create();
        write(store, before);
        const state = stateOf(store);
        const snapshot = store.snapshot();
        write(store, after);
        const another = create();
        another.open(snapshot);
        expect(stateOf(another)).toEqual(state);
        write(another, elsewhere);
        store.restore(snapshot);
        expect(stateOf(store)).toEqual(state);
        const third = create();
        third.open(snapshot);
        expect(stateOf(third)).toEqual(state);
      }),
    );
  });

  it('should be restored by changes that lead from what listeners know to what there is', () => {
    fc.assert(
      fc.property(changes, changes, (before, after) => {
        const store = create();
        write(store, before);
        const snapshot = store.snapshot();
        write(store, after);
        const known = new Map(
          store
            .collection('things')
            .list()
            .map((each) => [`${each.namespace}/${each.name}`, each]),
        );
        store.collection('things').subscribe(({ type, current, previous }: StorageEvent) => {
          const key = `${current.namespace}/${current.name}`;
          expect(known.get(key)).toBe(previous);
          if (type === 'DELETED') known.delete(key);
          else known.set(key, current);
        });
        store.restore(snapshot);
        expect(new Set(known.values())).toEqual(new Set(store.collection('things').list()));
      }),
    );
  });

  it('should share what nobody changes', () => {
    const store = create();
    write(store, [
      ['things', 'a', 'a', false],
      ['things', 'b', 'a', false],
    ]);
    const before = store.snapshot().collections.get('things')!.buckets;
    write(store, [['things', 'b', 'b', false]]);
    const after = store.snapshot().collections.get('things')!.buckets;
    expect([after.get('a') === before.get('a'), after.get('b') === before.get('b')]).toEqual([true, false]);
  });
});
