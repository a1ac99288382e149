import { type CelNode, qualifiedName } from '../syntax/cel.node.js';
import type { CelIssue } from '../syntax/cel.issue.js';
import {
  BOOL,
  type CelType,
  DYN,
  ERROR,
  INT,
  listOf,
  mapOf,
  optionalOf,
  typeOf,
  unwrapOptional,
} from '../values/cel.type.js';
import { typeOfValue } from '../values/value.type.js';
import type { CelOverload } from './cel.functions.js';
import { type CelDeclarations, CelScope } from './cel.scope.js';
import { TypeUnification } from './type.unification.js';

/** An expression with the types of its parts, or with its errors. */
export interface CheckedCel {
  readonly root: CelNode;
  readonly types: ReadonlyMap<CelNode, CelType>;
  /** The overloads that a call can mean; several where an argument is `dyn`. */
  readonly overloads: ReadonlyMap<CelNode, readonly CelOverload[]>;
  /** The full name where `a.b.c` names a variable, a type, or a function in a namespace. */
  readonly names: ReadonlyMap<CelNode, string>;
  readonly variables: ReadonlySet<string>;
  readonly issues: readonly CelIssue[];
}

/** Finds out the types of all parts of an expression, and what does not fit. */
export function checkCel(root: CelNode, declarations: CelDeclarations): CheckedCel {
  return new CelChecker(root, declarations).check();
}

class CelChecker {
  private readonly types = new Map<CelNode, CelType>();
  private readonly overloads = new Map<CelNode, readonly CelOverload[]>();
  private readonly names = new Map<CelNode, string>();
  private readonly used = new Set<string>();
  private readonly issues: CelIssue[] = [];
  private readonly unification = new TypeUnification();
  /** Whether the node is in the arguments of `format`, whose lists may have items of several types. */
  private allowsMixtures = false;
  private scope: CelScope;

  constructor(
    private readonly root: CelNode,
    private readonly declarations: CelDeclarations,
  ) {
    this.scope = new CelScope(undefined, declarations.variables);
  }

  check(): CheckedCel {
    this.visit(this.root);
    for (const [node, type] of this.types) this.types.set(node, this.unification.resolve(type, true));
    const { root, types, overloads, names, used: variables, issues } = this;
    return { root, types, overloads, names, variables, issues };
  }

  private report(node: { readonly at: number }, message: string): typeof ERROR {
    this.issues.push({ message, at: node.at });
    return ERROR;
  }

  private visit(node: CelNode): CelType {
    // Macros use their target twice, and those of chains again and again.
    const known = this.types.get(node);
    if (known) return known;
    const type = this.typeOf(node);
    this.types.set(node, type);
    return type;
  }

  private typeOf(node: CelNode): CelType {
    switch (node.kind) {
      case 'literal':
        return typeOfValue(node.value);
      case 'ident':
        return this.named(node, node.name) ?? this.undeclared(node, node.name);
      case 'select':
        return this.select(node);
      case 'call':
        return this.call(node);
      case 'list':
        return this.list(node);
      case 'map':
        return this.map(node);
      case 'struct':
        return this.struct(node);
      case 'comprehension':
        return this.comprehension(node);
    }
  }

  private undeclared(node: CelNode, name: string): CelType {
    return this.report(node, `undeclared reference to '${name}' (in container '')`);
  }

  private named(node: CelNode, name: string): CelType | undefined {
    const variable = this.scope.find(name);
    const type = this.declarations.types.get(name);
    if (variable === undefined && type === undefined) return undefined;
    this.names.set(node, name);
    if (variable === undefined) return typeOf(type!);
    this.used.add(name);
    return variable;
  }

  private select(node: CelNode & { kind: 'select' }): CelType {
    const name = qualifiedName(node);
    const known = name === undefined ? undefined : this.named(node, name);
    if (known) return known;
    const type = this.field(node, node.operand, node.field, false);
    return node.testOnly ? BOOL : this.unification.resolve(type);
  }

  private field(node: CelNode, operand: CelNode, field: string, optional: boolean): CelType {
    const { type: target, wasOptional } = unwrapOptional(this.unification.resolve(this.visit(operand)));
    const result = this.fieldType(node, target, field);
    return wasOptional || optional ? optionalOf(result) : result;
  }

  private fieldType(node: CelNode, target: CelType, field: string): CelType {
    if (target.kind === 'map') return target.parameters[1]!;
    if (target.kind === 'struct') return target.fields?.get(field) ?? this.report(node, `undefined field '${field}'`);
    if (target.kind === 'parameter') this.unification.assign([DYN], [target]);
    else if (target.kind !== 'dyn' && target.kind !== 'error') {
      this.report(node, `type '${target.text}' does not support field selection`);
    }
    return DYN;
  }

  private call(node: CelNode & { kind: 'call' }): CelType {
    if (node.name === '_?._') return this.optionalSelect(node);
    const { target } = node;
    const allowedMixtures = this.allowsMixtures;
    this.allowsMixtures ||= target !== undefined && node.name === 'format';
    for (const arg of node.args) this.visit(arg);
    this.allowsMixtures = allowedMixtures;
    if (target) {
      const prefix = qualifiedName(target);
      const full = `${prefix}.${node.name}`;
      const spaced = prefix === undefined ? undefined : this.declarations.functions.get(full);
      if (spaced) {
        this.names.set(node, full);
        return this.resolve(node, full, spaced, undefined);
      }
      this.visit(target);
    }
    const overloads = this.declarations.functions.get(node.name);
    if (!overloads) return this.undeclared(node, node.name);
    return this.resolve(node, node.name, overloads, target);
  }

  private optionalSelect(node: CelNode & { kind: 'call' }): CelType {
    const [operand, field] = node.args;
    this.overloads.set(node, this.declarations.functions.get('_?._')!);
    this.visit(field!);
    const name = field!.kind === 'literal' ? String(field!.value) : '';
    return this.unification.resolve(this.field(node, operand!, name, true));
  }

  private resolve(
    node: CelNode & { kind: 'call' },
    name: string,
    overloads: readonly CelOverload[],
    target: CelNode | undefined,
  ): CelType {
    const args = target ? [target, ...node.args] : node.args;
    const types = args.map((arg) => this.types.get(arg)!);
    if (name === '_&&_' || name === '_||_') return this.logical(node, overloads, args, types);
    const matching: CelOverload[] = [];
    let result: CelType | undefined;
    for (const overload of overloads) {
      if (overload.isMember !== (target !== undefined)) continue;
      const [returned, ...parameters] = this.unification.instantiate([overload.result, ...overload.parameters]);
      if (!this.unification.assign(types, parameters)) continue;
      matching.push(overload);
      const type = this.unification.resolve(returned!);
      if (result === undefined) result = type;
      else if (result.kind !== 'dyn' && result.text !== type.text) result = DYN;
    }
    if (result) {
      this.overloads.set(node, matching);
      return result;
    }
    const shown = types.map((type) => this.unification.resolve(type, true).text);
    const signature = target ? `${shown[0]}.(${shown.slice(1).join(', ')})` : `(${shown.join(', ')})`;
    return this.report(node, `found no matching overload for '${name}' applied to '${signature}'`);
  }

  private logical(
    node: CelNode,
    overloads: readonly CelOverload[],
    args: readonly CelNode[],
    types: readonly CelType[],
  ): CelType {
    const wrong = args.filter((arg, index) => {
      const type = types[index]!;
      if (this.unification.assign([type], [BOOL])) return false;
      this.report(arg, `expected type 'bool' but found '${type.text}'`);
      return true;
    });
    this.overloads.set(node, overloads);
    return wrong.length > 0 ? ERROR : BOOL;
  }

  private list(node: CelNode & { kind: 'list' }): CelType {
    let element: CelType | undefined;
    node.items.forEach((item, index) => {
      element = this.join(item, element, this.element(item, node.optional.has(index)));
    });
    return listOf(element ?? this.unification.fresh());
  }

  private element(node: CelNode, optional: boolean): CelType {
    const type = this.visit(node);
    if (!optional) return type;
    const { type: inner, wasOptional } = unwrapOptional(type);
    if (!wasOptional && inner.kind !== 'dyn') {
      this.report(node, `expected type '${optionalOf(inner).text}' but found '${inner.text}'`);
    }
    return inner;
  }

  private join(node: CelNode, previous: CelType | undefined, current: CelType): CelType {
    if (!previous) return current;
    if (this.unification.assign([previous], [current])) return this.unification.mostGeneral(previous, current);
    if (this.allowsMixtures) return DYN;
    return this.report(node, `expected type '${previous.text}' but found '${current.text}'`);
  }

  private map(node: CelNode & { kind: 'map' }): CelType {
    let key: CelType | undefined;
    let value: CelType | undefined;
    for (const entry of node.entries) {
      key = this.join(entry.key, key, this.visit(entry.key));
      value = this.join(entry.value, value, this.element(entry.value, entry.optional));
    }
    return mapOf(key ?? this.unification.fresh(), value ?? this.unification.fresh());
  }

  private struct(node: CelNode & { kind: 'struct' }): CelType {
    const type = this.declarations.types.get(node.name);
    if (!type) return this.undeclared(node, node.name);
    for (const field of node.fields) {
      const expected = type.fields?.get(field.name) ?? this.report(field, `undefined field '${field.name}'`);
      const actual = this.element(field.value, field.optional);
      if (this.unification.assign([expected], [actual])) continue;
      const message = `expected type of field '${field.name}' is '${expected.text}' but provided type is '${actual.text}'`;
      this.report(field, message);
    }
    if (type.kind === 'struct') return type;
    return this.report(node, `'${type.text}' is not a message type`);
  }

  private comprehension(node: CelNode & { kind: 'comprehension' }): CelType {
    const outer = this.scope;
    const range = this.unification.resolve(this.visit(node.range));
    const accumulator = this.visit(node.initial);
    this.scope = outer.with(node.accumulator, accumulator);
    const inner = this.scope;
    const [first, second] = this.loopTypes(node, range);
    this.scope = inner.with(node.variable, first);
    if (node.second !== undefined) this.scope = this.scope.with(node.second, second);
    this.visit(node.condition);
    this.expectType(node.condition, BOOL);
    this.visit(node.step);
    this.expectType(node.step, accumulator);
    this.scope = inner;
    const result = this.visit(node.result);
    this.scope = outer;
    return this.unification.resolve(result);
  }

  private loopTypes(node: CelNode & { kind: 'comprehension' }, range: CelType): [CelType, CelType] {
    if (range.kind === 'list') {
      const [element] = range.parameters;
      return node.second === undefined ? [element!, element!] : [INT, element!];
    }
    if (range.kind === 'map') return [range.parameters[0]!, range.parameters[1]!];
    if (range.kind === 'dyn' || range.kind === 'error' || range.kind === 'parameter') {
      this.unification.assign([DYN], [range]);
      return [DYN, DYN];
    }
    const message = `expression of type '${range.text}' cannot be range of a comprehension (must be list, map, or dynamic)`;
    this.report(node.range, message);
    return [ERROR, ERROR];
  }

  private expectType(node: CelNode, expected: CelType): void {
    const actual = this.types.get(node)!;
    if (this.unification.assign([expected], [actual])) return;
    this.report(node, `expected type '${expected.text}' but found '${actual.text}'`);
  }
}
