import { countMembers, countParsedMembers, NESTING_LIMIT, repeatedMembers } from './json.text.js';

describe('the text of a body', () => {
  it.each([
    '{}',
    '[]',
    '5',
    '{"a":1,"b":{"c":[{"d":2},{"d":3}]}}',
    '{"a:b":"{:\\\\\\"[", "c" : [ "]" , {"": null} ]}',
    '{"\\u0061":1}',
  ])('should be known to repeat no members where it does not: %s', (text) => {
    expect(countMembers(text)).toBe(countParsedMembers(JSON.parse(text)));
    expect(repeatedMembers(text).repeated).toEqual([]);
  });

  it.each([
    ['{"a":1,"a":2}', ['a']],
    ['{"a":{"b":1,"b":2,"b":3},"a":3,"l":[{"a":1},{"a":1,"a":"a"}]}', ['a.b', 'a', 'l[1].a']],
    ['[{"value" : "x",\n"value":["y"]}]', ['[0].value']],
    ['{"a":[[1,2],{"c":1,"\\u0063":2}]}', ['a[1].c']],
  ])('should be known to repeat members where it does: %s', (text, paths) => {
    expect(countMembers(text)).toBeGreaterThan(countParsedMembers(JSON.parse(text)));
    expect(repeatedMembers(text).repeated).toEqual(paths);
  });

  it('should be known by the order of its members, of repeated ones where they stand for the second time', () => {
    const { order } = repeatedMembers('{"a":{"x":1},"b":2,"a":{"y":1,"y":2},"c":[{"d":1}]}');
    expect(order).toEqual(['a.x', 'b', 'a', 'a.y', 'c', 'c[0].d']);
  });

  it('should not be nested too deeply', () => {
    const nested = (depth: number): string => '{"a":'.repeat(depth) + '1' + '}'.repeat(depth);
    expect(countMembers(nested(NESTING_LIMIT))).toBe(NESTING_LIMIT);
    expect(() => countMembers(nested(NESTING_LIMIT + 1))).toThrow("invalid character '{' exceeded max depth");
    expect(() => countMembers('['.repeat(1e6))).toThrow("invalid character '[' exceeded max depth");
  });
});
