import fc from 'fast-check';
import type { KubeObject } from '../resources/kube-object.js';
import { objectKey } from './collection.view.js';
import { NullJournal } from './journal.js';
import { ObjectStore } from './object.store.js';

const object = (namespace: string, name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name, ...(namespace && { namespace }) },
});
const change = fc.tuple(fc.constantFrom('', 'a', 'a-b', 'b'), fc.constantFrom('a', 'a.b', 'b', 'c', 'd'));

describe('CollectionView', () => {
  it('should give any part of any revision', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 30 }), fc.nat(), fc.nat(), (changes, atChange, atKey) => {
        const store = new ObjectStore(new NullJournal(), 1000);
        const collection = store.collection('things');
        const states: [revision: number, keys: string[]][] = [[1, []]];
        for (const [namespace, name] of changes) {
          const current = collection.get(namespace, name);
          if (current) store.delete('things', current);
          else store.create('things', object(namespace, name));
          states.push([store.revision, collection.list().map(objectKey)]);
        }
        const [revision, keys] = states[atChange % states.length]!;
        const start = ['', ...keys, 'a/zz'][atKey % (keys.length + 2)]!;
        const expected = keys.filter((key) => key > start);
        const view = collection.view(revision);
        expect([...view.after(start)].map(objectKey)).toEqual(expected);
        expect(view.countAfter(start)).toBe(expected.length);
        expect(keys).toEqual([...keys].sort());
      }),
    );
  });
});
