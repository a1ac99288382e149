import fc from 'fast-check';
import { diff, EMPTY_DIFF, reduceDiff } from '../objects/diffs.js';
import { compareEssences, isHashedEssence, createHashedEssence } from './essence-hashes.js';

const essence = { spec: { b: [1, { c: null, d: 2 }], a: null }, metadata: { labels: { l: 'v' } } };
const reordered = { metadata: { labels: { l: 'v' } }, spec: { b: [1, { d: 2, c: null }] }, data: null };

describe('hashes of essences', () => {
  it('should be small, and known as hashes', () => {
    expect(JSON.stringify(createHashedEssence({ data: 'x'.repeat(300_000) })).length).toBeLessThan(100);
    expect(isHashedEssence(createHashedEssence(essence))).toBe(true);
    expect(isHashedEssence(essence)).toBe(false);
  });

  it('should be the same for essences without a difference', () => {
    expect(compareEssences(createHashedEssence(essence), essence)).toBe(EMPTY_DIFF);
    expect(compareEssences(createHashedEssence(essence), reordered)).toBe(EMPTY_DIFF);
  });

  it('should tell that something has changed, and that a field could have', () => {
    const present = { ...essence, spec: { b: [] } };
    const changes = compareEssences(createHashedEssence(essence), present);

    expect(changes).toEqual([['add', [], null, present]]);
    expect(reduceDiff(changes, ['spec', 'b'])).toEqual([['add', [], null, []]]);
    expect(reduceDiff(changes, ['spec', 'x'])).toBe(EMPTY_DIFF);
  });

  it('should not matter where the whole essence was stored', () => {
    expect(compareEssences(essence, { spec: { a: 1 } })).toEqual(diff(essence, { spec: { a: 1 } }));
  });

  it('should notice every change of any value', () => {
    const { map: maps } = fc.letrec<{ map: Record<string, unknown>; any: unknown }>((tie) => ({
      map: fc.dictionary(fc.constantFrom('a', 'b'), tie('any')),
      any: fc.oneof({ depthSize: 'small' }, fc.constantFrom<unknown>(0, 1, null), tie('map'), fc.array(tie('any'))),
    }));
    fc.assert(
      fc.property(maps, maps, (a, b) => {
        expect(compareEssences(createHashedEssence(a), b).length > 0).toBe(diff(a, b).length > 0);
        expect(compareEssences(createHashedEssence(a), a)).toBe(EMPTY_DIFF);
      }),
    );
  });
});
