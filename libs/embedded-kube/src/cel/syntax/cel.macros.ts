import type { CelNode, ComprehensionNode, IdentNode } from './cel.node.js';
import { CelSyntaxError } from './cel.issue.js';

/** The variable that holds the result of a loop so far; no expression can name it. */
export const ACCUMULATOR = '@result';

const NO_IDENTIFIER = 'argument is not an identifier';

/** Makes of a call what it stands for, if its name is a macro's. @throws CelSyntaxError if its arguments do not fit */
export function expandMacro(
  name: string,
  at: number,
  target: CelNode | undefined,
  args: readonly CelNode[],
): CelNode | undefined {
  if (!target) return name === 'has' && args.length === 1 ? presenceTest(args[0]!, at) : undefined;
  const form = `${name}/${args.length}`;
  if (form === 'optMap/2') return optionalMap(at, target, args, (mapped) => call('optional.of', at, [mapped]));
  if (form === 'optFlatMap/2') return optionalMap(at, target, args, (mapped) => mapped);
  if (form === 'sortBy/2') return sortBy(at, target, args);
  const single = SINGLE[form];
  if (single) {
    const message = name === 'map' || name === 'filter' ? NO_IDENTIFIER : undefined;
    return single(new Loop(at, target, args, 1, message));
  }
  const double = DOUBLE[form];
  return double?.(new Loop(at, target, args, 2));
}

/** Makes of `cel.bind(name, value, expression)` what it stands for. @throws CelSyntaxError if its arguments do not fit */
export function expandBinding(
  name: string,
  at: number,
  target: CelNode | undefined,
  [variable, value, body]: readonly CelNode[],
): CelNode | undefined {
  if (name !== 'bind' || target?.kind !== 'ident' || target.name !== 'cel' || !body) return undefined;
  return bind(at, variableName(variable!, 'cel.bind() variable names must be simple identifiers'), value!, body);
}

/** Makes an expression in which a value has a name. */
function bind(at: number, name: string, value: CelNode, result: CelNode): CelNode {
  return {
    kind: 'comprehension',
    range: { kind: 'list', items: [], optional: new Set(), at },
    variable: '#unused',
    accumulator: name,
    initial: value,
    condition: { kind: 'literal', value: false, at },
    step: { kind: 'ident', name, at },
    result,
    at,
  };
}

function presenceTest(operand: CelNode, at: number): CelNode {
  if (operand.kind !== 'select' || operand.testOnly) {
    throw new CelSyntaxError({ message: 'invalid argument to has() macro', at: operand.at });
  }
  return { ...operand, testOnly: true, at };
}

/** Evaluates an expression with the value of an optional under a name, if there is one. */
function optionalMap(
  at: number,
  target: CelNode,
  [variable, body]: readonly CelNode[],
  wrap: (mapped: CelNode) => CelNode,
): CelNode {
  const name = variableName(variable!, 'optMap() variable name must be a simple identifier');
  const value: CelNode = { kind: 'call', name: 'value', target, args: [], at };
  const present: CelNode = { kind: 'call', name: 'hasValue', target, args: [], at };
  return call('_?_:_', at, [present, wrap(bind(at, name, value, body!)), call('optional.none', at, [])]);
}

/**
 * Orders a list by the keys that an expression computes for its items. The list is evaluated once, under a name that no expression can
 * have.
 */
function sortBy(at: number, target: CelNode, args: readonly CelNode[]): CelNode {
  if (target.kind === 'literal' || target.kind === 'map' || target.kind === 'struct') {
    const message = 'sortBy can only be applied to a list, identifier, comprehension, call or select expression';
    throw new CelSyntaxError({ message, at: target.at });
  }
  const input: IdentNode = { kind: 'ident', name: '@__sortBy_input__', at };
  const keys = transform(new Loop(at, input, args, 1, NO_IDENTIFIER));
  const sorted: CelNode = { kind: 'call', name: '@sortByAssociatedKeys', target: input, args: [keys], at };
  return bind(at, input.name, target, sorted);
}

function call(name: string, at: number, args: readonly CelNode[]): CelNode {
  return { kind: 'call', name, args, at };
}

/** Builds the loop of one macro call: its nodes all point at the call. */
class Loop {
  readonly rest: readonly CelNode[];
  private readonly variable: string;
  private readonly second: string | undefined;

  constructor(
    readonly at: number,
    private readonly range: CelNode,
    args: readonly CelNode[],
    variables: 1 | 2,
    message = 'argument must be a simple name',
  ) {
    this.variable = variableName(args[0]!, message);
    this.second = variables === 2 ? variableName(args[1]!, message) : undefined;
    this.rest = args.slice(variables);
    if (this.variable === this.second) {
      throw new CelSyntaxError({ message: `duplicate variable name: ${this.variable}`, at: args[1]!.at });
    }
  }

  get result(): IdentNode {
    return { kind: 'ident', name: ACCUMULATOR, at: this.at };
  }

  literal(value: boolean | bigint): CelNode {
    return { kind: 'literal', value, at: this.at };
  }

  list(...items: CelNode[]): CelNode {
    return { kind: 'list', items, optional: new Set(), at: this.at };
  }

  get emptyMap(): CelNode {
    return { kind: 'map', entries: [], at: this.at };
  }

  get item(): CelNode {
    return { kind: 'ident', name: this.variable, at: this.at };
  }

  call(name: string, ...args: CelNode[]): CelNode {
    return { kind: 'call', name, args, at: this.at };
  }

  /** Returns the step, unless a filter is given that does not hold: then the result stays. */
  filtered(filter: CelNode | undefined, step: CelNode): CelNode {
    return filter ? this.call('_?_:_', filter, step, this.result) : step;
  }

  build(initial: CelNode, condition: CelNode, step: CelNode, result: CelNode = this.result): ComprehensionNode {
    const { range, variable, second, at } = this;
    return {
      kind: 'comprehension',
      range,
      variable,
      second,
      accumulator: ACCUMULATOR,
      initial,
      condition,
      step,
      result,
      at,
    };
  }
}

function variableName(node: CelNode, message: string): string {
  if (node.kind !== 'ident') throw new CelSyntaxError({ message, at: node.at });
  if (node.name === ACCUMULATOR || node.name === '__result__') {
    throw new CelSyntaxError({ message: 'iteration variable overwrites accumulator variable', at: node.at });
  }
  return node.name;
}

type Expansion = (loop: Loop) => ComprehensionNode;

const all: Expansion = (loop) =>
  loop.build(
    loop.literal(true),
    loop.call('@not_strictly_false', loop.result),
    loop.call('_&&_', loop.result, loop.rest[0]!),
  );

const exists: Expansion = (loop) =>
  loop.build(
    loop.literal(false),
    loop.call('@not_strictly_false', loop.call('!_', loop.result)),
    loop.call('_||_', loop.result, loop.rest[0]!),
  );

const existsOne: Expansion = (loop) =>
  loop.build(
    loop.literal(0n),
    loop.literal(true),
    loop.filtered(loop.rest[0]!, loop.call('_+_', loop.result, loop.literal(1n))),
    loop.call('_==_', loop.result, loop.literal(1n)),
  );

const transform: Expansion = (loop) => {
  const [first, second] = loop.rest;
  const append = loop.call('_+_', loop.result, loop.list((second ?? first)!));
  return loop.build(loop.list(), loop.literal(true), loop.filtered(second && first, append));
};

const filter: Expansion = (loop) => {
  const append = loop.call('_+_', loop.result, loop.list(loop.item));
  return loop.build(loop.list(), loop.literal(true), loop.filtered(loop.rest[0]!, append));
};

const transformMap: Expansion = (loop) => {
  const [first, second] = loop.rest;
  const insert = loop.call('cel.@mapInsert', loop.result, loop.item, (second ?? first)!);
  return loop.build(loop.emptyMap, loop.literal(true), loop.filtered(second && first, insert));
};

const transformMapEntry: Expansion = (loop) => {
  const [first, second] = loop.rest;
  const insert = loop.call('cel.@mapInsert', loop.result, (second ?? first)!);
  return loop.build(loop.emptyMap, loop.literal(true), loop.filtered(second && first, insert));
};

/** The macros by their names and numbers of arguments. */
const SINGLE: Readonly<Record<string, Expansion>> = {
  'all/2': all,
  'exists/2': exists,
  'exists_one/2': existsOne,
  'map/2': transform,
  'map/3': transform,
  'filter/2': filter,
};

const DOUBLE: Readonly<Record<string, Expansion>> = {
  'all/3': all,
  'exists/3': exists,
  'exists_one/3': existsOne,
  'existsOne/3': existsOne,
  'transformList/3': transform,
  'transformList/4': transform,
  'transformMap/3': transformMap,
  'transformMap/4': transformMap,
  'transformMapEntry/3': transformMapEntry,
  'transformMapEntry/4': transformMapEntry,
};
