import { canonicalQuantity, compareQuantities, parseQuantity } from './quantity.js';

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

describe('parseQuantity', () => {
  it.each(['1e2', '1e007', '1e99', '1e100', '1e-100', '.5', '5.', '+1', '1.5Gi'])('should read %s', (text) => {
    expect(parseQuantity(text)).toBeDefined();
  });

  it.each(['1e', '1e5Ki', '1e101', 'Gi', '.', '1 Gi'])('should not read %s', (text) => {
    expect(parseQuantity(text)).toBeUndefined();
  });
});

describe('compareQuantities', () => {
  it.each([
    ['1Gi', '1024Mi', 0],
    ['500m', '0.5', 0],
    ['0.1', '0', 0.1],
    ['1', '1500m', -0.5],
    ['9007199254740993', '9007199254740992', 1],
    [undefined, '1', -1],
    ['big', '0', 0],
  ])('should compare %s with %s', (left, right, expected) => {
    expect(compareQuantities(left, right)).toBe(expected);
  });
});
