import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';

/** A regular expression in RE2's syntax, as Go has it. It takes time in proportion to the text, for every pattern. */
export interface RegularExpression {
  /** Checks whether the pattern matches somewhere in the text. */
  test(text: string): boolean;
  /** Returns the first match. */
  find(text: string): string | undefined;
  /** Returns the matches that do not overlap, up to a number of them. */
  findAll(text: string, limit?: number): string[];
}

/** The number of compiled patterns that are kept. */
const CACHE_SIZE = 1000;

const cache = new Map<string, RegularExpression>();

/**
 * Compiles a pattern. The library is loaded with the first one, as many servers never see one.
 *
 * @throws Error with the words of Go's `regexp`: ``error parsing regexp: missing closing ): `(a` ``
 */
export function compilePattern(pattern: string): RegularExpression {
  const known = cache.get(pattern);
  if (known) return known;
  const compiled = compile(pattern);
  if (cache.size >= CACHE_SIZE) cache.clear();
  cache.set(pattern, compiled);
  return compiled;
}

function compile(pattern: string): RegularExpression {
  const { RE2JS: engine } = createRequire(import.meta.url)('re2js') as typeof import('re2js');
  const expression: RE2JS = engine.compile(pattern);
  return {
    test: (text) => expression.test(text),
    find: (text) => {
      const matcher = expression.matcher(text);
      return matcher.find() ? (matcher.group() ?? '') : undefined;
    },
    findAll: (text, limit = Infinity) => {
      const matcher = expression.matcher(text);
      const found: string[] = [];
      while (found.length < limit && matcher.find()) found.push(matcher.group() ?? '');
      return found;
    },
  };
}
