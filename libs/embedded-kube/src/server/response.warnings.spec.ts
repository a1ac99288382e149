import { ResponseWarnings } from './response.warnings.js';

const headerOf = (...texts: string[]): string | undefined => {
  const recorder = new ResponseWarnings();
  for (const text of texts) recorder.add(text);
  return recorder.header;
};

describe('ResponseWarnings', () => {
  it.each([
    ['nothing', [], undefined],
    ['one warning', ['a'], '299 - "a"'],
    ['several', ['a', 'b'], '299 - "a", 299 - "b"'],
    ['the same only once', ['a', 'b', 'a'], '299 - "a", 299 - "b"'],
    ['no empty ones', ['', 'b'], '299 - "b"'],
    ['none with control characters', ['a\nb', 'c'], '299 - "c"'],
    ['quotes and backslashes escaped', ['"a" \\'], '299 - "\\"a\\" \\\\"'],
  ])('should give %s', (_, texts, header) => {
    expect(headerOf(...texts)).toBe(header);
  });

  it('should leave long ones as they are while they fit together', () => {
    expect(headerOf('x'.repeat(4096))).toBe(`299 - "${'x'.repeat(4096)}"`);
  });

  it('should shorten all of them once they do not fit together, and then leave out the rest', () => {
    const texts = Array.from({ length: 40 }, (_, index) => `${index} ${'y'.repeat(400)}`);
    const items = headerOf(...texts)!.split(', ');
    expect(items).toHaveLength(16);
    expect(items.every((item) => item.length === '299 - ""'.length + 256)).toBe(true);
  });
});
