import { label, label1035, labelValue, type NameRule, pathSegment, qualifiedName, subdomain } from './name.rules.js';

describe('the rules of names', () => {
  it.each<[string, NameRule, string[], string[]]>([
    [
      'subdomain',
      subdomain,
      ['a', 'a.b-c.d', '1', 'x'.repeat(253)],
      ['', 'A', 'a_b', '-a', 'a.', 'a..b', 'x'.repeat(254)],
    ],
    ['label', label, ['a', 'a-b', '1'], ['', 'A', 'a.b', '-a', 'x'.repeat(64)]],
    ['label1035', label1035, ['a', 'a-1'], ['1a', 'a.b', '']],
    ['pathSegment', pathSegment, ['system:a b', 'A'], ['a/b', 'a%b', '.', '..']],
    [
      'qualifiedName',
      qualifiedName,
      ['a', 'A_b.c', 'x.y/Z'],
      ['', 'a/b/c', '/a', 'a/', 'X.y/a', 'a b', 'x'.repeat(64)],
    ],
    ['labelValue', labelValue, ['', 'a', 'A_b.c'], ['a b', '-a', 'x'.repeat(64)]],
  ])('should follow %s', (_name, rule, valid, invalid) => {
    for (const each of valid) expect([each, rule(each)]).toEqual([each, []]);
    for (const each of invalid) expect([each, rule(each).length > 0]).toEqual([each, true]);
  });
});
