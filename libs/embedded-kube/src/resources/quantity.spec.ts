import { canonicalQuantity } from './quantity.js';

describe('canonicalQuantity', () => {
  it.each([
    ['1024Mi', '1Gi'],
    ['1Gi', '1Gi'],
    ['1500Mi', '1500Mi'],
    ['1.5Gi', '1536Mi'],
    ['0.5', '500m'],
    ['2500m', '2500m'],
    ['2000m', '2'],
    ['1000k', '1M'],
    ['1G', '1G'],
    ['1e3', '1e3'],
    ['12e6', '12e6'],
    ['0', '0'],
    [5, '5'],
    ['-1024Ki', '-1Mi'],
    [undefined, '0'],
    ['big', 'big'],
  ])('should write %s as %s', (quantity, expected) => {
    expect(canonicalQuantity(quantity)).toBe(expected);
  });
});
