import { describeJsonError } from './json.syntax-error.js';

const END = 'unexpected end of JSON input';

describe('describeJsonError', () => {
  it.each([
    ['', END],
    ['{', END],
    ['[1,', END],
    ['{"a"', END],
    ['{"a":1', END],
    ['{"a": "b', END],
    ['[1 2]', "invalid character '2' after array element"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":1 "b":2}', `invalid character '"' after object key:value pair`],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    ['{"a":{}} x', "invalid character 'x' after top-level value"],
    ['{"a":[{"b":[]}]}}', "invalid character '}' after top-level value"],
    ['kind: X', "invalid character 'k' looking for beginning of value"],
    ["'a'", "invalid character '\\'' looking for beginning of value"],
    ['ä', "invalid character 'Ã' looking for beginning of value"],
    ['\u0000', "invalid character '\\x00' looking for beginning of value"],
    ['tru', "invalid character ' ' in literal true (expecting 'e')"],
    ['{"a": nul}', "invalid character '}' in literal null (expecting 'l')"],
    ['-', "invalid character ' ' in numeric literal"],
    ['01', "invalid character '1' after top-level value"],
    ['1.x', "invalid character 'x' after decimal point in numeric literal"],
    ['1e+', "invalid character ' ' in exponent of numeric literal"],
    ['"\n"', "invalid character '\\n' in string literal"],
    ['"\\x"', "invalid character 'x' in string escape code"],
    ['"\\u12x4"', "invalid character 'x' in \\u hexadecimal character escape"],
  ])('should say of %j: %s', (text, problem) => {
    expect(describeJsonError(text)).toBe(problem);
  });

  it.each([
    '{}',
    ' [1, -0.5e+3, "\\u00e4\\n", {"a": {"b": [null, true]}}] ',
    '"x"',
    `${'['.repeat(9000)}${']'.repeat(9000)}`,
  ])('should find nothing wrong with JSON', (text) => {
    expect(describeJsonError(text)).toBeUndefined();
  });
});
