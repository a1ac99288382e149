import { applyPatch } from 'fast-json-patch';
import fc from 'fast-check';
import { deepCopy } from 'kube-common';
import { computeJsonPatch } from './json-patch.js';

describe('computeJsonPatch', () => {
  it.each<[string, unknown, unknown, unknown[]]>([
    ['nothing', { a: 1 }, { a: 1 }, []],
    ['a new field', {}, { a: 1 }, [{ op: 'add', path: '/a', value: 1 }]],
    ['a lost field', { a: 1 }, {}, [{ op: 'remove', path: '/a' }]],
    ['a field set to undefined', { a: 1 }, { a: undefined, b: undefined }, [{ op: 'remove', path: '/a' }]],
    ['a new value', { a: 1 }, { a: true }, [{ op: 'replace', path: '/a', value: true }]],
    ['a null', { a: 1 }, { a: null }, [{ op: 'replace', path: '/a', value: null }]],
    ['another type', { a: { b: 1 } }, { a: [1] }, [{ op: 'replace', path: '/a', value: [1] }]],
    ['the whole value', 1, 2, [{ op: 'replace', path: '', value: 2 }]],
    ['a name with special characters', {}, { 'a/b~c': 1 }, [{ op: 'add', path: '/a~1b~0c', value: 1 }]],
    ['an item at the end', { a: ['x'] }, { a: ['x', 'y'] }, [{ op: 'add', path: '/a/1', value: 'y' }]],
    ['an item at the start', { a: ['x'] }, { a: ['y', 'x'] }, [{ op: 'add', path: '/a/0', value: 'y' }]],
    ['the only item', { a: ['x'] }, { a: [] }, [{ op: 'remove', path: '/a/0' }]],
    ['an item in the middle', { a: [1, 2, 3] }, { a: [1, 3] }, [{ op: 'remove', path: '/a/1' }]],
    ['an item inside', { a: [{ b: 1 }] }, { a: [{ b: 2 }] }, [{ op: 'replace', path: '/a/0/b', value: 2 }]],
    ['an item', { a: [1, 2, 3] }, { a: [1, 9, 3] }, [{ op: 'replace', path: '/a/1', value: 9 }]],
    [
      'several items that go',
      { a: ['F', 'x', 'F', 'y', 'F'] },
      { a: ['x', 'y'] },
      [
        { op: 'remove', path: '/a/0' },
        { op: 'remove', path: '/a/1' },
        { op: 'remove', path: '/a/2' },
      ],
    ],
    [
      'items equal by accident, where positions take fewer operations',
      { a: [2, 3, 5] },
      { a: [3, 3, 4] },
      [
        { op: 'replace', path: '/a/0', value: 3 },
        { op: 'replace', path: '/a/2', value: 4 },
      ],
    ],
  ])('should express %s', (_, before, after, operations) => {
    expect(computeJsonPatch(before, after)).toEqual(operations);
  });

  it('should remove, then add, then change fields in the order of the older value', () => {
    const before = { changed: { x: 1 }, lost: 1, other: 1 };
    const after = { other: 2, added: 1, changed: { x: 2 } };

    expect(computeJsonPatch(before, after).map(({ op, path }) => `${op} ${path}`)).toEqual([
      'remove /lost',
      'add /added',
      'replace /changed/x',
      'replace /other',
    ]);
  });

  it('should compare very long lists by position', () => {
    const before = Array.from({ length: 1000 }, (_, index) => index);
    const after = before.map((index) => index + 1);

    const operations = computeJsonPatch(before, after);
    expect(operations).toHaveLength(1000);
    expect(applyPatch(deepCopy(before), operations as any).newDocument).toEqual(after);
  });

  it('should lead from any value to any other one when applied', () => {
    const values = fc.letrec((tie) => ({
      map: fc.dictionary(fc.constantFrom('a', 'b', 'c/d', '~e'), tie('any'), { maxKeys: 4 }),
      list: fc.array(tie('any'), { maxLength: 6 }),
      any: fc.oneof({ depthSize: 'small' }, fc.constantFrom<unknown>(0, 1, true, null, 'x'), tie('map'), tie('list')),
    }));

    fc.assert(
      fc.property(values.map, values.map, (before, after) => {
        const operations = computeJsonPatch(before, after);
        expect(applyPatch(deepCopy(before), operations as any, true).newDocument).toEqual(after);
      }),
      { numRuns: 500 },
    );
  });
});
