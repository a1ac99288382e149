import { TextCollector } from './text.exchange.js';

function collect(text: string, size: number): string {
  const bytes = Buffer.from(text);
  const collector = new TextCollector();
  for (let start = 0; start < bytes.length; start += size) collector.push(bytes.subarray(start, start + size));
  return collector.finish();
}

describe('TextCollector', () => {
  it.each(['', 'short', 'ünïcode – 😀'])('should collect %j, wherever it is cut', (text) => {
    for (const size of [1, 2, 3, 100]) expect(collect(text, size)).toBe(text);
  });

  it('should collect large texts, wherever they are cut', () => {
    const text = 'größer 😀 '.repeat(200_000);
    for (const size of [1000, 16_383, 65_537, 10_000_000]) expect(collect(text, size) === text).toBe(true);
  });
});
