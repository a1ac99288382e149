import { isOlderVersion } from './kube-object.js';

describe('isOlderVersion', () => {
  it.each([
    ['99', '100', true],
    ['100', '99', false],
    ['100', '100', false],
    ['123456789012345678901', '123456789012345678902', true],
    ['123456789012345678902', '123456789012345678901', false],
    [undefined, '1', true],
    ['opaque-1', 'opaque-2', true],
    ['opaque-2', 'opaque-1', true],
    ['opaque-1', 'opaque-1', false],
    ['5', 'opaque-1', true],
  ])('should tell of %s whether it comes before %s: %s', (version, expected, isOlder) => {
    expect(isOlderVersion(version, expected)).toBe(isOlder);
  });
});
