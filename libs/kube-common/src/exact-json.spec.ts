import * as fc from 'fast-check';
import { parseJson, stringifyJson } from './exact-json.js';

const MAX = 9223372036854775807n;
const MIN = -9223372036854775808n;

/** Unsafe integers of 64 bits: those that are read as bigints. */
const unsafe = fc
  .bigInt({ min: MIN, max: MAX })
  .filter((value) => value > BigInt(Number.MAX_SAFE_INTEGER) || value < BigInt(Number.MIN_SAFE_INTEGER));

/** Makes bigints of the integers that numbers do not hold safely, for texts that were made of numbers. */
function exactly(_key: string, value: unknown): unknown {
  if (!Number.isInteger(value) || Number.isSafeInteger(value) || Math.abs(value as number) > 2 ** 63) return value;
  const integer = BigInt(String(value));
  return integer <= MAX && integer >= MIN ? integer : value;
}

describe('parseJson', () => {
  it.each<[string, unknown]>([
    ['9007199254740991', 9007199254740991],
    ['-9007199254740991', -9007199254740991],
    ['9007199254740992', 9007199254740992n],
    ['9007199254740993', 9007199254740993n],
    ['-9007199254740993', -9007199254740993n],
    ['10000000000000000', 10000000000000000n],
    ['9223372036854775807', MAX],
    ['-9223372036854775808', MIN],
    // Beyond 64 bits, the server itself has only float64.
    ['9223372036854775808', 2 ** 63],
    ['-9223372036854775809', -(2 ** 63)],
    ['100000000000000000000', 1e20],
    ['123456789012345678901234567890', 1.2345678901234568e29],
    ['9007199254740993.0', 9007199254740992],
    ['9007199254740993e0', 9007199254740992],
    ['1234567890123456.7', 1234567890123456.8],
    ['0.30000000000000004', 0.30000000000000004],
    ['1e400', Infinity],
    ['-0', -0],
    ['"9007199254740993"', '9007199254740993'],
    ['"\\":9007199254740993"', '":9007199254740993'],
    ['[9007199254740993]', [9007199254740993n]],
    ['[1,-9007199254740993 ,2]', [1, -9007199254740993n, 2]],
    ['{"a":9007199254740993}', { a: 9007199254740993n }],
    ['{\n  "a": 9007199254740993\n}', { a: 9007199254740993n }],
    [
      '{"a":"\\\\","b":{"c":[9007199254740993,{}],"d":[]},"e":null}',
      { a: '\\', b: { c: [9007199254740993n, {}], d: [] }, e: null },
    ],
    ['[true,false,null,9007199254740993,""]', [true, false, null, 9007199254740993n, '']],
    ['{"a":9007199254740993,"a":1}', { a: 1 }],
  ])('should read %s', (text, expected) => {
    expect(parseJson(text)).toStrictEqual(expected);
  });

  it('should keep a field of any name as a field', () => {
    const parsed = parseJson('{"__proto__":{"a":9007199254740993},"constructor":1}') as object;
    expect(Object.keys(parsed)).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype);
    expect(stringifyJson(parsed)).toBe('{"__proto__":{"a":9007199254740993},"constructor":1}');
  });

  it.each(['{"a":9007199254740993', '[9007199254740993,]', '09007199254740993', '9007199254740993x', ''])(
    'should refuse %j as JSON.parse does',
    (text) => {
      expect(() => parseJson(text)).toThrow(SyntaxError);
    },
  );

  it('should find the integer wherever it stands', () => {
    for (let offset = 0; offset < 64; offset++) {
      const text = `{"${'x'.repeat(offset)}":9007199254740993}`;
      expect(stringifyJson(parseJson(text))).toBe(text);
    }
  });

  it('should read any JSON as JSON.parse does, but for such integers', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), fc.constantFrom(0, 2), (json, space) => {
        const text = JSON.stringify(JSON.parse(json), null, space);
        expect(parseJson(text)).toStrictEqual(JSON.parse(text, exactly));
      }),
      { numRuns: 1000 },
    );
  });

  it('should read everything beside such an integer as JSON.parse does', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(0, 2), (value, space) => {
        const rest = JSON.stringify(value, null, space);
        const parsed = parseJson(`{"big":9007199254740993,"rest":${rest}}`) as { rest: unknown };
        expect(parsed.rest).toStrictEqual(JSON.parse(rest, exactly));
      }),
      { numRuns: 500 },
    );
  });

  it('should give back every byte of integers of 64 bits', () => {
    const { tree } = fc.letrec<{ tree: unknown; leaf: unknown }>((tie) => ({
      leaf: fc.oneof(unsafe, fc.string({ unit: 'binary' }), fc.maxSafeInteger(), fc.boolean(), fc.constant(null)),
      tree: fc.oneof(
        { maxDepth: 5 },
        tie('leaf'),
        fc.array(tie('tree'), { maxLength: 4 }),
        fc.dictionary(fc.string({ unit: 'binary' }), tie('tree'), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(tree, (value) => {
        const text = stringifyJson(value);
        expect(stringifyJson(parseJson(text))).toBe(text);
        expect(parseJson(text)).toEqual(value);
      }),
      { numRuns: 1000 },
    );
  });

  it('should not be slowed down by long rows of digits, nor by deep nesting', () => {
    const digits = '1'.repeat(1_000_000);
    expect(parseJson(`["${digits}",9007199254740993]`)).toEqual([digits, 9007199254740993n]);
    expect(parseJson(`[${digits}]`)).toEqual([Infinity]);
    const depth = 100_000;
    let value = parseJson(`${'['.repeat(depth)}9007199254740993${']'.repeat(depth)}`);
    for (let level = 0; level < depth; level++) [value] = value as unknown[];
    expect(value).toBe(9007199254740993n);
  });
});

describe('stringifyJson', () => {
  it('should write bigints as integers, and anything else as JSON.stringify does', () => {
    const value = {
      date: new Date(0),
      none: undefined,
      list: [undefined, () => 1, Symbol('s'), 5n, NaN, -0],
      call: () => 1,
      [Symbol('s')]: 1,
      boxed: [new Number(1), new String('x'), new Boolean(false)],
      nested: { toJSON: (key: string) => ({ key, id: -9007199254740993n }) },
      text: '\u2028"\ud800',
      id: 9007199254740993n,
    };
    const { id, ...rest } = value;
    const expected = JSON.stringify({
      ...rest,
      list: [undefined, () => 1, Symbol('s'), 5, NaN, -0],
      nested: { key: 'nested', id: 0 },
    });
    expect(stringifyJson(value)).toBe(
      `${expected.replace('"id":0', '"id":-9007199254740993').slice(0, -1)},"id":${id}}`,
    );
    expect(stringifyJson(undefined)).toBeUndefined();
    expect(stringifyJson(1n)).toBe('1');
  });

  it('should write the same value in several places, but refuse one that refers to its own container', () => {
    const shared = { id: 1n };
    expect(stringifyJson([shared, shared])).toBe('[{"id":1},{"id":1}]');
    const circular: Record<string, unknown> = { id: 1n };
    circular.self = [circular];
    expect(() => stringifyJson(circular)).toThrow(TypeError);
  });

  it('should write integers where the application has made texts of them', () => {
    const prototype = BigInt.prototype as unknown as Record<string, unknown>;
    prototype.toJSON = function (this: bigint) {
      return this.toString();
    };
    try {
      expect(stringifyJson({ id: 9007199254740993n, list: [1n], text: 'x' })).toBe(
        '{"id":9007199254740993,"list":[1],"text":"x"}',
      );
    } finally {
      delete prototype.toJSON;
    }
  });
});
