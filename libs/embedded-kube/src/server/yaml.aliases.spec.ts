import { load } from 'js-yaml';
import { assertModestAliases } from './yaml.aliases.js';

describe('assertModestAliases', () => {
  const bomb = (levels: number): string =>
    [...Array(levels).keys()]
      .map((level) => `a${level}: &a${level} [${`${level ? `*a${level - 1}` : 'x'},`.repeat(9)}]`)
      .join('\n');

  it.each(['a: &a {b: c}\nd: [*a, *a]', bomb(3)])('should allow aliases of a modest size', (text) => {
    expect(() => assertModestAliases(load(text))).not.toThrow();
  });

  it.each([
    ['make much of little', bomb(9), 'document contains excessive aliasing'],
    ['never end', 'a: &a [*a]', 'an anchor contains itself'],
  ])('should refuse aliases that %s', (_name, text, message) => {
    expect(() => assertModestAliases(load(text))).toThrow(message);
  });
});
