import type { RE2JS } from 're2js';
import { LazyLibrary } from '../common/lazy.library.js';

/** The package that matches regular expressions without backtracking. */
export const RE2 = new LazyLibrary('re2js', () => import('re2js'));

/** The first match of a pattern in a text. */
export interface LogMatch {
  /** The whole match, and the groups in their order. */
  readonly match: readonly (string | undefined)[];
  readonly groups: Readonly<Record<string, string | undefined>>;
}

const NO_GROUPS: Readonly<Record<string, never>> = Object.freeze({});

/**
 * A regular expression that takes time in proportion to the text, whatever the pattern: a log is written by other programs, and a pattern
 * that backtracks would block the whole process on a line that was made for it.
 */
export class LogPattern {
  private readonly expression: RE2JS;
  private readonly names: readonly [name: string, group: number][];

  /**
   * @param pattern in the syntax of RE2: without backreferences, and without looking ahead or behind.
   * @throws SyntaxError if the pattern cannot be used.
   */
  constructor(pattern: string | RegExp) {
    const { RE2JS: Expression } = RE2.get();
    const source = typeof pattern === 'string' ? pattern : pattern.source;
    try {
      this.expression = Expression.compile(Expression.translateRegExp(source), flagsOf(pattern, Expression));
    } catch (error) {
      throw new SyntaxError(
        `${source} is no pattern of RE2, which has neither backreferences nor lookarounds: ${(error as Error).message}`,
        { cause: error },
      );
    }
    this.names = Object.entries(this.expression.namedGroups());
  }

  /** Checks whether the pattern matches somewhere in the text. */
  test(text: string): boolean {
    return this.expression.test(text);
  }

  /** Finds the first match. */
  find(text: string): LogMatch | undefined {
    if (!this.expression.test(text)) return undefined;
    const matcher = this.expression.matcher(text);
    if (!matcher.find()) return undefined;
    const match = Array.from({ length: matcher.groupCount() + 1 }, (_, group) => matcher.group(group) ?? undefined);
    if (this.names.length === 0) return { match, groups: NO_GROUPS };
    return { match, groups: Object.fromEntries(this.names.map(([name, group]) => [name, match[group]])) };
  }
}

/** Converts the flags; `g`, `y`, `d`, and `v` do not matter for one match. */
function flagsOf(pattern: string | RegExp, { CASE_INSENSITIVE, MULTILINE, DOTALL }: typeof RE2JS): number {
  if (typeof pattern === 'string') return 0;
  const { ignoreCase, multiline, dotAll } = pattern;
  return (ignoreCase ? CASE_INSENSITIVE : 0) | (multiline ? MULTILINE : 0) | (dotAll ? DOTALL : 0);
}
