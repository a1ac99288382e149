import { copyMemo } from './memo.js';

describe('copyMemo', () => {
  class Own {
    list: string[] = [];
    greet(): string {
      return 'hello';
    }
  }

  it('should copy shallowly, and keep the class', () => {
    const memo = Object.assign(new Own(), { list: ['x'] });
    const copy = copyMemo(memo) as Own;
    expect(copy).not.toBe(memo);
    expect(copy).toBeInstanceOf(Own);
    expect(copy.greet()).toBe('hello');
    expect(copy.list).toBe(memo.list);
  });

  it.each([[['x', 'y']], [new Map([['x', 1]])], [new Set(['x'])], [new Date(1)]])(
    'should copy what has contents of its own: %s',
    (memo) => {
      const copy = copyMemo(memo);
      expect(copy).toEqual(memo);
      expect(copy).not.toBe(memo);
      expect(copy).toBeInstanceOf(memo.constructor);
    },
  );

  it("should copy by the memo's own way", () => {
    const copy = {};
    expect(copyMemo({ clone: () => copy })).toBe(copy);
  });

  it.each([null, undefined, 5, 'text'])('should take %s as it is', (memo) => {
    expect(copyMemo(memo)).toBe(memo);
  });

  it('should copy an object without a prototype', () => {
    const memo = Object.assign(Object.create(null) as object, { x: 1 });
    expect({ ...(copyMemo(memo) as object) }).toEqual({ x: 1 });
  });
});
