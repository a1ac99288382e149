import type { CelValue } from '../values/cel.value.js';

/** A part of an expression. The identity of a node is the key of the maps with what the checker has found out about it. */
export type CelNode =
  LiteralNode | IdentNode | SelectNode | CallNode | ListNode | MapNode | StructNode | ComprehensionNode;

interface Positioned {
  /** The offset in the expression that messages point at. */
  readonly at: number;
}

export interface LiteralNode extends Positioned {
  readonly kind: 'literal';
  readonly value: CelValue;
}

export interface IdentNode extends Positioned {
  readonly kind: 'ident';
  readonly name: string;
}

export interface SelectNode extends Positioned {
  readonly kind: 'select';
  readonly operand: CelNode;
  readonly field: string;
  /** Whether the node stands for `has()`, which asks for the presence of the field. */
  readonly testOnly: boolean;
}

/** A function or an operator; operators have the names that error messages show, such as `_==_`. */
export interface CallNode extends Positioned {
  readonly kind: 'call';
  readonly name: string;
  readonly target?: CelNode | undefined;
  readonly args: readonly CelNode[];
}

export interface ListNode extends Positioned {
  readonly kind: 'list';
  readonly items: readonly CelNode[];
  /** The indices of items that are left out if their optional value is absent. */
  readonly optional: ReadonlySet<number>;
}

export interface MapEntryNode extends Positioned {
  readonly key: CelNode;
  readonly value: CelNode;
  readonly optional: boolean;
}

export interface MapNode extends Positioned {
  readonly kind: 'map';
  readonly entries: readonly MapEntryNode[];
}

export interface StructFieldNode extends Positioned {
  readonly name: string;
  readonly value: CelNode;
  readonly optional: boolean;
}

export interface StructNode extends Positioned {
  readonly kind: 'struct';
  readonly name: string;
  readonly fields: readonly StructFieldNode[];
}

/** A loop, into which the parser expands macros such as `all`. */
export interface ComprehensionNode extends Positioned {
  readonly kind: 'comprehension';
  readonly range: CelNode;
  readonly variable: string;
  /** The second variable of `all(key, value, …)`. */
  readonly second?: string | undefined;
  readonly accumulator: string;
  readonly initial: CelNode;
  readonly condition: CelNode;
  readonly step: CelNode;
  readonly result: CelNode;
}

/** Returns `a.b.c` if a node is nothing else than such a name. */
export function qualifiedName(node: CelNode): string | undefined {
  if (node.kind === 'ident') return node.name;
  if (node.kind !== 'select' || node.testOnly) return undefined;
  const prefix = qualifiedName(node.operand);
  return prefix === undefined ? undefined : `${prefix}.${node.field}`;
}

/** Makes a call of a function, or of an operator by its name. */
export function call(name: string, at: number, args: readonly CelNode[]): CallNode {
  return { kind: 'call', name, at, args };
}

/**
 * Makes a tree of a chain of `&&` or `||` that is as flat as can be, so that long chains are not deep; it has the same form as the real
 * server's.
 */
export function balanced(name: string, terms: readonly CelNode[], positions: readonly number[]): CallNode {
  const build = (low: number, high: number): CallNode => {
    const middle = Math.floor((low + high + 1) / 2);
    const left = middle === low ? terms[middle]! : build(low, middle - 1);
    const right = middle === high ? terms[middle + 1]! : build(middle + 1, high);
    return call(name, positions[middle]!, [left, right]);
  };
  return build(0, positions.length - 1);
}
