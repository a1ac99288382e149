import { ANNOTATIONS_LIMIT, findOversize } from './annotation-sizes.js';

describe('findOversize', () => {
  const body = { metadata: { annotations: { other: 'x'.repeat(100_000), replaced: 'y'.repeat(100_000) } } };

  it('should count names and values of what is there in the end', () => {
    const rest = ANNOTATIONS_LIMIT - 'other'.length - 100_000 - 'replaced'.length;

    expect(findOversize(body, { replaced: 'z'.repeat(rest) })).toBeUndefined();
    expect(findOversize(body, { replaced: 'z'.repeat(rest + 1) })).toBe(ANNOTATIONS_LIMIT + 1);
    expect(findOversize(body, { replaced: null, other: null, another: 'z'.repeat(260_000) })).toBeUndefined();
  });

  it('should count bytes, not characters', () => {
    expect(findOversize({ metadata: {} }, { a: 'é'.repeat(ANNOTATIONS_LIMIT / 2) })).toBe(ANNOTATIONS_LIMIT + 1);
    expect(findOversize({ metadata: {} }, { a: 'x'.repeat(ANNOTATIONS_LIMIT / 2) })).toBeUndefined();
  });
});
