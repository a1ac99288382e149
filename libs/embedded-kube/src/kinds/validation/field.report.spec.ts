import { isSameContent } from './field.report.js';

describe('isSameContent', () => {
  it.each<[unknown, unknown, boolean]>([
    [{ a: '' }, {}, true],
    [{ labels: {} }, {}, true],
    [{ list: [] }, { list: null }, true],
    [{ metadata: { labels: {} } }, undefined, true],
    [{ a: 1 }, { a: 2 }, false],
    [{ a: [1, 2] }, { a: [2, 1] }, false],
    // Structures that need not be there.
    [{ dnsConfig: {} }, {}, false],
    [{ dnsConfig: { nameservers: [] } }, {}, false],
    [{ dnsConfig: { nameservers: [] } }, { dnsConfig: {} }, true],
    [{ spec: { securityContext: {} } }, { spec: {} }, false],
    [[{ emptyDir: {} }], [{ emptyDir: {} }], true],
  ])('should compare %j with %j', (left, right, expected) => {
    expect(isSameContent(left, right)).toBe(expected);
    expect(isSameContent(right, left)).toBe(expected);
  });
});
