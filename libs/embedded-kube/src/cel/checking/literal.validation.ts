import { compilePattern } from '../../common/regular.expression.js';
import type { CelIssue } from '../syntax/cel.issue.js';
import type { CelNode } from '../syntax/cel.node.js';
import { readDuration, readTimestamp } from '../values/cel.time.js';
import type { CelValue } from '../values/cel.value.js';

/** Finds texts that no evaluation could make a duration, a time or a pattern of. */
export function literalIssues(root: CelNode): CelIssue[] {
  const issues: CelIssue[] = [];
  const visited = new Set<CelNode>();
  const visit = (node: CelNode): void => {
    if (visited.has(node)) return;
    visited.add(node);
    const issue = issueOf(node);
    if (issue) issues.push(issue);
    childrenOf(node).forEach(visit);
  };
  visit(root);
  return issues;
}

function issueOf(node: CelNode): CelIssue | undefined {
  if (node.kind !== 'call') return undefined;
  const argument = node.args.at(-1);
  if (argument?.kind !== 'literal' || typeof argument.value !== 'string') return undefined;
  return isValid(node.name, argument.value) ? undefined : { message: `invalid ${node.name} argument`, at: argument.at };
}

function isValid(name: string, value: CelValue & string): boolean {
  if (name === 'duration') return readDuration(value) !== undefined;
  if (name === 'timestamp') return readTimestamp(value) !== undefined;
  if (name !== 'matches') return true;
  try {
    compilePattern(value);
    return true;
  } catch {
    return false;
  }
}

function childrenOf(node: CelNode): readonly CelNode[] {
  switch (node.kind) {
    case 'literal':
    case 'ident':
      return [];
    case 'select':
      return [node.operand];
    case 'call':
      return node.target ? [node.target, ...node.args] : node.args;
    case 'list':
      return node.items;
    case 'map':
      return node.entries.flatMap(({ key, value }) => [key, value]);
    case 'struct':
      return node.fields.map(({ value }) => value);
    case 'comprehension':
      return [node.range, node.initial, node.condition, node.step, node.result];
  }
}
