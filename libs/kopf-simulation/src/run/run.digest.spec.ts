import { RunDigest } from './run.digest.js';

function digestOf(...events: readonly (readonly [text: string, content?: string])[]): RunDigest {
  const digest = new RunDigest();
  for (const [text, content] of events) {
    if (content !== undefined) digest.add(content);
    digest.addEvent(text);
  }
  return digest;
}

describe('RunDigest', () => {
  it('should find the first event that differs', () => {
    const one = digestOf(['a'], ['b'], ['c']);
    expect(one.differenceTo(digestOf(['a'], ['b'], ['c']))).toBeUndefined();
    expect(one.differenceTo(digestOf(['a'], ['B'], ['c']))).toBe(1);
    expect(one.differenceTo(digestOf(['a'], ['b']))).toBe(2);
  });

  it('should find contents that differ where the events do not', () => {
    expect(digestOf(['a'], ['b', '{"size":1}']).differenceTo(digestOf(['a'], ['b', '{"size":2}']))).toBe(1);
  });

  it('should depend on the order of what happens', () => {
    expect(digestOf(['ab'], ['c']).differenceTo(digestOf(['a'], ['bc']))).toBe(0);
    expect(digestOf(['a'], ['b'], ['c']).differenceTo(digestOf(['b'], ['a'], ['c']))).toBe(0);
  });
});
