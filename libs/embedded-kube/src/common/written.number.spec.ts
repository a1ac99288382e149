import { parseWrittenNumbers, WrittenNumber } from './written.number.js';

describe('parseWrittenNumbers', () => {
  it('should keep the text of whole numbers that are written as fractions', () => {
    const text = '{"a": 1.0, "b": [3e1, 2], "c": 1.5, "d": "1.0"}';
    const numbers = { a: new WrittenNumber('1.0'), b: [new WrittenNumber('3e1'), 2], c: 1.5, d: '1.0' };
    expect(parseWrittenNumbers(text)).toEqual(numbers);
  });

  it.each(['{"a": 1}', '{"a": 1.5}', '{"a": "x 1.0"}', '{"a\\"1.0": 2}'])('should find none in %s', (text) => {
    expect(parseWrittenNumbers(text)).toBeUndefined();
  });
});
