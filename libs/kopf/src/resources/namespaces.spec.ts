import { compileNamespacePattern, matchNamespace, selectSpecificNamespaces } from './namespaces.js';
import type { NamespacePattern } from './namespaces.js';

describe('matchNamespace', () => {
  it.each<[NamespacePattern, string, boolean]>([
    ['*', 'any', true],
    ['ns', 'ns', true],
    ['ns', 'ns1', false],
    ['ns?', 'ns1', true],
    ['ns[12]', 'ns2', true],
    ['ns[!12]', 'ns2', false],
    ['ns[!12]', 'ns3', true],
    ['ns[1', 'ns[1', true],
    ['ns[]]', 'ns]', true],
    ['ns[]', 'ns[]', true],
    ['a.b', 'axb', false],
    ['a+', 'aa', false],
    ['!ns', 'ns', false],
    ['!ns', 'other', true],
    ['a, b', 'b', false],
    ['a*, !ab*, abc', 'abc', true],
    ['a*, !ab*, abc', 'abd', false],
    ['a*, !ab*, x', 'x', false],
    ['', '', true],
    [/ns\d/, 'ns1', true],
    [/ns\d/, 'ns12', false],
    [/a|b/, 'ba', false],
    [/NS/i, 'ns', true],
  ])('should match with %s the namespace %j: %s', (pattern, name, expected) => {
    expect(matchNamespace(name, pattern)).toBe(expected);
  });

  it('should match the same again with global and sticky expressions', () => {
    for (const pattern of [/ns/g, /ns/y, /ns/m]) {
      const matches = compileNamespacePattern(pattern);
      expect([matches('ns'), matches('ns'), matches('x\nns')]).toEqual([true, true, false]);
    }
  });
});

describe('selectSpecificNamespaces', () => {
  it('should select names, each once', () => {
    expect(selectSpecificNamespaces(['a', 'b*', '!c', 'd?', 'e,f', /g/, 'a', 'h'])).toEqual(['a', 'h']);
  });
});
