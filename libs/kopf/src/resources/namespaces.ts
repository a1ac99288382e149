/** A pattern of the namespaces to serve: globs with negations, such as `'team-*, !team-x-*'`, or a regular expression for whole names. */
export type NamespacePattern = string | RegExp;

/** A function that checks whether a namespace matches a pattern. */
export type NamespaceMatcher = (name: string) => boolean;

/**
 * Compiles a pattern for repeated matching.
 *
 * A string has parts separated by commas, each a glob with `*`, `?`, and `[…]`; those after `!` exclude. A namespace must match the first
 * part; a leading exclusion implies `*` before it. Then the parts are applied in their order: exclusions remove the namespace, and the
 * others add it again.
 *
 * @example
 * compileNamespacePattern('myapp-*, !*-pr-*, *-pr-123')('myapp-pr-123'); // true
 */
export function compileNamespacePattern(pattern: NamespacePattern): NamespaceMatcher {
  if (typeof pattern !== 'string') {
    // The flags for repeated matching would make the result depend on the last one.
    const whole = new RegExp(`^(?:${pattern.source})$`, pattern.flags.replace(/[gmy]/g, ''));
    return (name) => whole.test(name);
  }
  const parts = pattern.split(',').map((part) => part.trim());
  if (parts[0].startsWith('!')) parts.unshift('*');
  const [first, ...rest] = parts.map(compilePart);
  return (name) => {
    if (!first.glob.test(name)) return false;
    return rest.reduce((matches, { excludes, glob }) => (glob.test(name) ? !excludes : matches), true);
  };
}

/** Matches a namespace with a pattern once; see {@link compileNamespacePattern}. */
export function matchNamespace(name: string, pattern: NamespacePattern): boolean {
  return compileNamespacePattern(pattern)(name);
}

/** Selects the patterns that are names: those without globs, negations, and commas. Duplicates are removed. */
export function selectSpecificNamespaces(patterns: Iterable<NamespacePattern>): string[] {
  const names = [...patterns].filter((pattern) => typeof pattern === 'string' && !/[!*?,]/.test(pattern));
  return [...new Set(names as string[])];
}

interface PatternPart {
  readonly excludes: boolean;
  readonly glob: RegExp;
}

function compilePart(part: string): PatternPart {
  const excludes = part.startsWith('!');
  return { excludes, glob: compileGlob(excludes ? part.replace(/^!+/, '') : part) };
}

/** Compiles a glob with `*`, `?`, and `[…]`, which must match the whole text. */
export function compileGlob(glob: string): RegExp {
  // A bracket without its closing bracket is a plain character; a closing bracket right after the opening one belongs to the set.
  const source = glob.replace(
    /\*+|\?|\[(!?)(\][^\]]*|[^\]]+)\]|[^*?]/gs,
    (token, negated?: string, members?: string) => {
      if (token.startsWith('*')) return '.*';
      if (token === '?') return '.';
      if (members === undefined) return token.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
      return `[${negated ? '^' : ''}${members.replace(/[\\[\]^&~|]/g, '\\$&')}]`;
    },
  );
  return new RegExp(`^${source}$`, 's');
}
