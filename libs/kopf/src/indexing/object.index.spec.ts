import { SeededRandom } from 'kube-common';
import { ObjectIndex } from './object.index.js';

describe('ObjectIndex', () => {
  let index: ObjectIndex;

  beforeEach(() => {
    index = new ObjectIndex();
  });

  it.each<[string, unknown, unknown]>([
    ['lists', ['ns', 'name'], ['ns', 'name']],
    ['lists in lists', ['a', ['b', 1]], ['a', ['b', 1]]],
    ['plain objects, whatever the order of their members', { a: 1, b: 2 }, { b: 2, a: 1 }],
    ['dates', new Date(5), new Date(5)],
    ['null and undefined', undefined, null],
    ['texts that look like marks', '\u0000json:["a"]', '\u0000json:["a"]'],
  ])('should find keys by their values: %s', (_what, stored, asked) => {
    index.replace('o', [[stored, 'value']]);
    expect(index.get(asked)?.toArray()).toEqual(['value']);
  });

  it.each<[string, unknown, unknown]>([
    ['a number and its text', 1, '1'],
    ['a list and its text', ['a'], '["a"]'],
    ['a list and what it is looked up by', ['a'], '\u0000json:["a"]'],
    ['true and 1', true, 1],
    ['lists of other lengths', ['a', 'b'], ['a,b']],
  ])('should tell keys apart: %s', (_what, stored, asked) => {
    index.replace('o', [[stored, 'value']]);
    expect(index.has(asked)).toBe(false);
  });

  it('should keep a key although its list is changed later', () => {
    const key = ['a'];
    index.replace('o', [[key, 'value']]);
    key[0] = 'b';
    expect([...index.keys()]).toEqual([['a']]);
    index.discard('o');
    expect(index.size).toBe(0);
  });

  it('should replace the values of an object in place, and leave those of others', () => {
    index.replace('one', [['k', 1]]);
    index.replace('other', [['k', 2]]);
    index.replace('one', [['k', 3]]);
    expect(index.get('k')?.toArray().sort()).toEqual([2, 3]);
    index.discard('one');
    index.replace('other', [['k', 4]]);
    expect(index.get('k')?.toArray()).toEqual([4]);
  });

  it('should stay equal to a simple model over random changes', () => {
    const random = new SeededRandom(3);
    const pick = (count: number): number => Math.floor(random.next() * count);
    const model = new Map<string, Map<number, number>>();
    for (let step = 0; step < 5000; step++) {
      const object = `o${pick(50)}`;
      if (pick(4) === 0) {
        model.delete(object);
        index.discard(object);
      } else {
        const entries = new Map(Array.from({ length: pick(4) }, () => [pick(20), step] as const));
        model.set(object, entries);
        index.replace(object, entries);
      }
    }
    const expected = new Map<number, number[]>();
    for (const entries of model.values()) {
      for (const [key, value] of entries) expected.set(key, [...(expected.get(key) ?? []), value]);
    }
    const sorted = (values: Iterable<number>): number[] => [...values].sort((a, b) => a - b);
    const actual = new Map([...index].map(([key, store]) => [key as number, sorted(store as Iterable<number>)]));
    expect(actual).toEqual(new Map([...expected].map(([key, values]) => [key, sorted(values)])));
    expect([...index.values()].every(({ size }) => size > 0)).toBe(true);
  });
});
