import { quoteGo } from './go-quote.js';

describe('quoteGo', () => {
  it.each([
    ['a b', '"a b"'],
    ['\u0000\u007f', '"\\x00\\x7f"'],
    ['\n"\\ä', '"\\n\\"\\\\ä"'],
    ['\v\u00a0😀', '"\\v\\u00a0😀"'],
  ])('should quote %j as %s', (text, quoted) => {
    expect(quoteGo(text)).toBe(quoted);
  });
});
