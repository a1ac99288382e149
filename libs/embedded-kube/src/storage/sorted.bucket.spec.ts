import fc from 'fast-check';
import { SortedBucket } from './sorted.bucket.js';
import { StoredObject } from './stored.object.js';

const stored = (name: string) => new StoredObject({ apiVersion: 'v1', kind: 'Thing', metadata: { name } }, 1);
const names = (objects: Iterable<StoredObject>): string[] => [...objects].map(({ name }) => name);

describe('SortedBucket', () => {
  it('should list in order whatever comes and goes, also in many parts', () => {
    const change = fc.tuple(fc.boolean(), fc.nat(3000));
    fc.assert(
      fc.property(fc.array(change, { minLength: 1000, maxLength: 2000 }), fc.nat(3000), (changes, start) => {
        const bucket = new SortedBucket();
        const expected = new Map<string, StoredObject>();
        for (const [deleted, number] of [...changes.map(([, each]) => [false, each] as const), ...changes]) {
          const object = stored(`n-${number}`);
          if (deleted) bucket.delete(object.name);
          else bucket.set(object.name, object);
          if (deleted) expected.delete(object.name);
          else expected.set(object.name, object);
        }
        const all = [...expected.keys()].sort();
        const from = `n-${start}`;
        const rest = all.filter((name) => name > from);
        expect(names(bucket.list())).toEqual(all);
        expect(bucket.list().every((each) => expected.get(each.name) === each)).toBe(true);
        expect([names(bucket.after(from)), bucket.countAfter(from)]).toEqual([rest, rest.length]);
        expect([bucket.size, bucket.countAfter('')]).toEqual([all.length, all.length]);
      }),
      { numRuns: 5 },
    );
  });
});
