/** One error in an expression. */
export interface CelIssue {
  readonly message: string;
  /** The offset in the expression; negative for an error of the expression as a whole. */
  readonly at: number;
}

/** The error of an expression that cannot be parsed. */
export class CelSyntaxError extends Error {
  override readonly name = 'CelSyntaxError';

  readonly issues: readonly CelIssue[];

  constructor(...issues: readonly CelIssue[]) {
    super(issues[0]?.message);
    this.issues = issues;
  }
}

/** The number of errors that are reported at once. */
const SHOWN_ISSUES = 100;

/** Shows errors and where they are, as the real server does. */
export function describeIssues(expression: string, issues: readonly CelIssue[]): string {
  const shown = [...issues].sort((a, b) => a.at - b.at).slice(0, SHOWN_ISSUES);
  return shown.map((issue) => describeIssue(expression, issue)).join('\n');
}

function describeIssue(expression: string, { message, at }: CelIssue): string {
  if (at < 0) return `ERROR: <input>:-1:0: ${message}`;
  const before = expression.slice(0, at).split('\n');
  const column = [...before.at(-1)!].length;
  const line = (expression.split('\n')[before.length - 1] ?? '').replaceAll('\t', ' ');
  const dots = [...line].slice(0, column).map((character) => (character.charCodeAt(0) > 127 ? '．' : '.'));
  return `ERROR: <input>:${before.length}:${column + 1}: ${message}\n | ${line}\n | ${dots.join('')}^`;
}
