import { SeededRandom } from 'kube-common';
import { allAtOnce, asap, oneByOne, randomized, shuffled } from './lifecycles.js';

const handlers = ['a', 'b', 'c', 'd'].map((id) => ({ id }));
const context = (retries: Record<string, number> = {}, seed = 1) => ({
  retriesOf: ({ id }: { id: string }) => retries[id] ?? 0,
  random: new SeededRandom(seed),
});

describe('The lifecycles', () => {
  it.each([
    ['allAtOnce', allAtOnce, {}, ['a', 'b', 'c', 'd']],
    ['oneByOne', oneByOne, { a: 9 }, ['a']],
    ['asap', asap, {}, ['a']],
    ['asap', asap, { a: 2, b: 1, c: 1, d: 3 }, ['b']],
    ['asap', asap, { a: 1, b: 1, c: 1 }, ['d']],
  ])('should choose by the order and the retries: %s', (_, lifecycle, retries, expected) => {
    expect(lifecycle(handlers, context(retries)).map(({ id }) => id)).toEqual(expected);
  });

  it('should choose one at random: randomized', () => {
    const chosen = Array.from({ length: 40 }, (_, seed) => randomized(handlers, context({}, seed + 1)));
    expect(chosen.every((choice) => choice.length === 1)).toBe(true);
    expect(new Set(chosen.map(([{ id }]) => id))).toEqual(new Set(['a', 'b', 'c', 'd']));
  });

  it('should bring all into a random order: shuffled', () => {
    const orders = Array.from({ length: 400 }, (_, seed) =>
      shuffled(handlers, context({}, seed + 1))
        .map(({ id }) => id)
        .join(''),
    );
    expect(new Set(orders.map((order) => [...order].toSorted().join('')))).toEqual(new Set(['abcd']));
    expect(new Set(orders).size).toBe(24);
    expect(handlers.map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd']);
  });

  it.each([allAtOnce, oneByOne, asap, randomized, shuffled])('should choose nothing of nothing', (lifecycle) => {
    expect(lifecycle([], context())).toEqual([]);
  });
});
