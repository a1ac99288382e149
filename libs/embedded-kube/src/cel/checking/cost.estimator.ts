import type { CelNode, ComprehensionNode } from '../syntax/cel.node.js';
import { ACCUMULATOR } from '../syntax/cel.macros.js';
import { codePoints, LIST_COST, MAP_COST, STRUCT_COST } from '../evaluation/call.cost.js';
import { type CelType, DYN } from '../values/cel.type.js';
import type { DeclaredType } from '../values/declared.type.js';
import { estimateCall, type Operand } from './call.estimate.js';
import type { CheckedCel } from './cel.checker.js';
import { type CostRange, exactly, NOTHING, ONE, product, sum, union, UNKNOWN } from './cost.range.js';

type Path = readonly string[];

interface EntrySize {
  readonly key: CostRange;
  readonly value: CostRange;
}

interface LocalVariable {
  readonly path: Path;
  readonly size?: CostRange | undefined;
  readonly entries?: EntrySize | undefined;
}

/** Estimates the least and the most that an expression can cost, from the sizes of data in the schema. */
export function estimateCost(checked: CheckedCel, root: DeclaredType): CostRange {
  return new CostEstimator(checked, root).cost(checked.root);
}

class CostEstimator {
  private readonly costs = new Map<CelNode, CostRange>();
  private readonly paths = new Map<CelNode, Path>();
  private readonly sizes = new Map<CelNode, CostRange>();
  private readonly entries = new Map<CelNode, EntrySize>();
  private readonly locals = new Map<string, LocalVariable[]>();

  constructor(
    private readonly checked: CheckedCel,
    private readonly root: DeclaredType,
  ) {}

  /** Estimates a node once, also where macros use it twice. */
  cost(node: CelNode): CostRange {
    const known = this.costs.get(node);
    if (known) return known;
    const cost = this.costOf(node);
    this.costs.set(node, cost);
    return cost;
  }

  private costOf(node: CelNode): CostRange {
    switch (node.kind) {
      case 'literal':
        return NOTHING;
      case 'ident':
        this.paths.set(node, this.local(node.name)?.path ?? [node.name]);
        return ONE;
      case 'select':
        return this.select(node);
      case 'call':
        return this.call(node);
      case 'list':
        return this.list(node);
      case 'map':
        return this.map(node);
      case 'struct':
        return sum(exactly(STRUCT_COST), ...node.fields.map(({ value }) => this.cost(value)));
      case 'comprehension':
        return node.variable === '#unused' ? this.binding(node) : this.loop(node);
    }
  }

  private typeOf(node: CelNode): CelType {
    return this.checked.types.get(node) ?? DYN;
  }

  private local(name: string): LocalVariable | undefined {
    return this.locals.get(name)?.at(-1);
  }

  private within<T>(name: string, variable: LocalVariable, run: () => T): T {
    const stack = this.locals.get(name) ?? [];
    this.locals.set(name, stack);
    stack.push(variable);
    const result = run();
    stack.pop();
    return result;
  }

  private path(node: CelNode): Path {
    if (node.kind === 'ident') return this.local(node.name)?.path ?? this.paths.get(node) ?? [];
    return this.paths.get(node) ?? [];
  }

  private select(node: CelNode & { kind: 'select' }): CostRange {
    if (this.checked.names.has(node)) return ONE;
    const operand = this.cost(node.operand);
    if (node.testOnly) return operand;
    this.paths.set(node, [...this.path(node.operand), node.field]);
    const { kind } = this.typeOf(node.operand);
    return kind === 'map' || kind === 'struct' || kind === 'parameter' ? sum(operand, ONE) : operand;
  }

  private call(node: CelNode & { kind: 'call' }): CostRange {
    const { name } = node;
    const spaced = this.checked.names.get(node);
    const args = [...(node.target && spaced === undefined ? [node.target] : []), ...node.args];
    const costs = args.map((arg) => this.cost(arg));
    if (name === 'dyn') {
      this.copySizes(node, args[0]!);
      return sum(ONE, costs[0]!);
    }
    if (name === '_&&_' || name === '_||_') return { min: costs[0]!.min, max: costs[0]!.max + costs[1]!.max };
    if (name === '_?_:_') return this.conditional(node, args, costs);
    const overloads = this.checked.overloads.get(node) ?? [];
    if (overloads.length === 0) return NOTHING;
    const operands = args.map((arg) => this.operand(arg));
    let cost: CostRange | undefined;
    let size: CostRange | undefined;
    for (const { id } of overloads) {
      const estimate = estimateCall(spaced ?? name, id, operands);
      cost = cost ? union(cost, estimate.cost) : estimate.cost;
      if (estimate.size) size = size ? union(size, estimate.size) : estimate.size;
      size = this.indexed(node, id, args) ?? size ?? this.size(node);
      if (id === 'add_list' || id === 'add_string' || id === 'add_bytes') this.joinEntries(node, args);
    }
    if (size) this.sizes.set(node, size);
    return sum(cost!, ...costs);
  }

  private indexed(node: CelNode, overload: string, args: readonly CelNode[]): CostRange | undefined {
    if (overload !== 'index_list' && overload !== 'index_map') return undefined;
    this.paths.set(node, [...this.path(args[0]!), overload === 'index_list' ? '@items' : '@values']);
    return this.entrySize(args[0]!)?.value;
  }

  private conditional(node: CelNode, args: readonly CelNode[], costs: readonly CostRange[]): CostRange {
    const [yes, no] = [this.entrySize(args[1]!), this.entrySize(args[2]!)];
    if (yes && no) this.entries.set(node, { key: union(yes.key, no.key), value: union(yes.value, no.value) });
    this.sizes.set(node, union(this.sizeOrUnknown(args[1]!), this.sizeOrUnknown(args[2]!)));
    return sum(costs[0]!, union(costs[1]!, costs[2]!));
  }

  private joinEntries(node: CelNode, args: readonly CelNode[]): void {
    const [left, right] = args.map((arg) => this.entrySize(arg));
    if (left && right)
      this.entries.set(node, { key: union(left.key, right.key), value: union(left.value, right.value) });
  }

  private operand(node: CelNode): Operand {
    const path = this.path(node);
    const element = path.length > 0 && path[0] !== ACCUMULATOR ? this.declaredSize([...path, '@items']) : undefined;
    return {
      size: this.sizeOrUnknown(node),
      type: this.typeOf(node),
      element: element ?? UNKNOWN,
      ...(node.kind === 'literal' && { constant: node.value }),
    };
  }

  private list(node: CelNode & { kind: 'list' }): CostRange {
    const costs = node.items.map((item) => this.cost(item));
    const sizes = node.items.map((item) => this.sizeOrUnknown(item));
    this.entries.set(node, { key: ONE, value: sizes.length > 0 ? sizes.reduce(union) : NOTHING });
    return sum(exactly(LIST_COST), ...costs);
  }

  private map(node: CelNode & { kind: 'map' }): CostRange {
    const costs = node.entries.flatMap(({ key, value }) => [this.cost(key), this.cost(value)]);
    const keys = node.entries.map(({ key }) => this.sizeOrUnknown(key));
    const values = node.entries.map(({ value }) => this.sizeOrUnknown(value));
    const all = (sizes: CostRange[]): CostRange => (sizes.length > 0 ? sizes.reduce(union) : NOTHING);
    this.entries.set(node, { key: all(keys), value: all(values) });
    return sum(exactly(MAP_COST), ...costs);
  }

  private binding(node: ComprehensionNode): CostRange {
    const range = this.cost(node.range);
    const initial = this.cost(node.initial);
    const variable = {
      path: this.path(node.initial),
      size: this.size(node.initial),
      entries: this.entrySize(node.initial),
    };
    const result = this.within(node.accumulator, variable, () => this.cost(node.result));
    this.copySizes(node, node.result);
    return sum(range, initial, result);
  }

  private loop(node: ComprehensionNode): CostRange {
    const range = this.cost(node.range);
    const initial = this.cost(node.initial);
    const accumulator = {
      path: this.path(node.initial),
      size: this.size(node.initial),
      entries: this.entrySize(node.initial),
    };
    const [each, result] = this.within(node.accumulator, accumulator, () => [
      this.iteration(node),
      this.cost(node.result),
    ]);
    const count = this.sizeOrUnknown(node.range);
    if (node.initial.kind === 'literal') this.sizes.set(node, this.sizeOrUnknown(node.initial));
    if (node.initial.kind === 'list' || node.initial.kind === 'map') {
      this.sizes.set(node, count);
      const entries = this.entrySize(node.step);
      if (entries) this.entries.set(node, entries);
    }
    return sum(range, initial, result!, product(count, each!));
  }

  private iteration(node: ComprehensionNode): CostRange {
    const path = this.path(node.range);
    const entries = this.entrySize(node.range);
    const isList = this.typeOf(node.range).kind === 'list';
    const run = (): CostRange => sum(this.cost(node.condition), this.cost(node.step));
    const keys = { path: [...path, isList ? '@indices' : '@keys'], size: entries?.key };
    const values = { path: [...path, isList ? '@items' : '@values'], size: entries?.value };
    const { second } = node;
    if (second === undefined) return this.within(node.variable, isList ? values : keys, run);
    return this.within(node.variable, keys, () => this.within(second, values, run));
  }

  private sizeOrUnknown(node: CelNode): CostRange {
    return this.size(node) ?? UNKNOWN;
  }

  private size(node: CelNode): CostRange | undefined {
    const known = this.sizes.get(node) ?? literalSize(node);
    if (known) return known;
    const path = this.path(node);
    const declared = path.length > 0 ? this.declaredSize(path) : undefined;
    if (declared) {
      this.sizes.set(node, declared);
      return declared;
    }
    if (isScalar(this.typeOf(node))) return ONE;
    return node.kind === 'ident' ? this.local(node.name)?.size : undefined;
  }

  /** Returns the size of what a path leads to from the root; its first part is the variable. */
  private declaredSize(path: Path): CostRange | undefined {
    let current: DeclaredType | undefined = this.root;
    for (const name of path.slice(1)) {
      if (name === '@items' || name === '@values') current = current.element;
      else if (name === '@keys') return current.element && !current.fields ? NOTHING : undefined;
      else current = current.fields?.get(name)?.declared;
      if (!current) return undefined;
    }
    return { min: 0, max: current.maxElements };
  }

  private entrySize(node: CelNode): EntrySize | undefined {
    return this.entries.get(node) ?? (node.kind === 'ident' ? this.local(node.name)?.entries : undefined);
  }

  private copySizes(target: CelNode, source: CelNode): void {
    const size = this.size(source);
    const entries = this.entrySize(source);
    if (size) this.sizes.set(target, size);
    if (entries) this.entries.set(target, entries);
  }
}

function literalSize(node: CelNode): CostRange | undefined {
  if (node.kind === 'list') return exactly(node.items.length);
  if (node.kind === 'map') return exactly(node.entries.length);
  if (node.kind !== 'literal') return undefined;
  if (typeof node.value === 'string') return exactly(codePoints(node.value));
  return exactly(node.value instanceof Uint8Array ? node.value.length : 1);
}

function isScalar(type: CelType): boolean {
  if (type.kind === 'opaque' && type.name === 'optional_type') return isScalar(type.parameters[0]!);
  return ['bool', 'double', 'duration', 'int', 'timestamp', 'uint'].includes(type.kind);
}
