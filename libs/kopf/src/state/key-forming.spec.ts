import { isNameTooLong, replaceUnsafeCharacters, createSuffix, createV1Key, createV2Key } from './key-forming.js';

const LONG = 'my_handler_with_a_very_long_name_over_sixty_three_characters_long/spec.field';

describe('keys of annotations', () => {
  it('should replace slashes and angle brackets only', () => {
    expect(replaceUnsafeCharacters('a/b<c>d:é')).toBe('a.b_c_d:é');
  });

  it.each([
    ['a'.repeat(64), '-5Keq3A'],
    [LONG, '-TL9M-g'],
    ['fn'.repeat(323), '-Az-r.g'],
  ])('should hash %s to %s', (id, suffix) => {
    expect(createSuffix(id)).toBe(suffix);
  });

  it.each([
    ['create/spec.field', 'p/create.spec.field'],
    ['a'.repeat(63), `p/${'a'.repeat(63)}`],
    ['a'.repeat(64), `p/${'a'.repeat(56)}-5Keq3A`],
    [LONG, 'p/my_handler_with_a_very_long_name_over_sixty_three_charac-TL9M-g'],
    ['😀'.repeat(63), `p/${'😀'.repeat(63)}`],
  ])('should form the present key of %s: %s', (id, key) => {
    expect(createV2Key('p', id)).toBe(key);
  });

  it.each([
    ['kopf.zalando.org', 'create/spec.field', 'kopf.zalando.org/create.spec.field'],
    ['kopf.zalando.org', 'a'.repeat(63), `kopf.zalando.org/${'a'.repeat(39)}-LcrRHA`],
    ['kopf.zalando.org', LONG, 'kopf.zalando.org/my_handler_with_a_very_long_name_over_s-lGlc3A'],
    ['p'.repeat(70), 'abcdefghijklmnop', `${'p'.repeat(70)}/a${createSuffix('abcdefghijklmnop')}`],
  ])('should form the earlier key under %s of %s: %s', (prefix, id, key) => {
    expect(createV1Key(prefix, id)).toBe(key);
  });

  it('should tell which names are too long for Kubernetes', () => {
    expect(isNameTooLong(`${'p'.repeat(100)}/${'a'.repeat(63)}`)).toBe(false);
    expect(isNameTooLong(`p/${'a'.repeat(64)}`)).toBe(true);
  });
});
