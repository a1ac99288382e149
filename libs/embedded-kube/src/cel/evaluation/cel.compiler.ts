import type { CheckedCel } from '../checking/cel.checker.js';
import type { CelOverload } from '../checking/cel.functions.js';
import type { CelNode, ComprehensionNode } from '../syntax/cel.node.js';
import { ACCUMULATOR } from '../syntax/cel.macros.js';
import { CelEvaluationError, noSuchOverload } from '../values/cel.error.js';
import type { CelType } from '../values/cel.type.js';
import { CelMap, CelOptional, CelTypeValue, type CelValue, EntryMap, StructValue } from '../values/cel.value.js';
import { fitsType } from '../values/value.type.js';
import { callCost, COSTS_BY_RESULT, LIST_COST, MAP_COST, STRUCT_COST } from './call.cost.js';
import { attempt, condition, logical, notStrictlyFalse } from './logic.js';
import { mapInsert } from './map.insertion.js';
import { indexValue, optionalIndex, presentField, selectField } from './value.access.js';
import type { CelStep } from './cel.step.js';

/**
 * Makes functions of an expression that is checked.
 *
 * @param types the types that expressions can name
 */
export function compileCel(checked: CheckedCel, types: ReadonlyMap<string, CelType>): CelStep {
  return new CelCompiler(checked, types).compile(checked.root);
}

class CelCompiler {
  private readonly steps = new Map<CelNode, CelStep>();

  constructor(
    private readonly checked: CheckedCel,
    private readonly types: ReadonlyMap<string, CelType>,
  ) {}

  /** Makes one function of a node, also where macros use it twice. */
  compile(node: CelNode): CelStep {
    const known = this.steps.get(node);
    if (known) return known;
    const step = this.stepOf(node);
    this.steps.set(node, step);
    return step;
  }

  private stepOf(node: CelNode): CelStep {
    switch (node.kind) {
      case 'literal': {
        const { value } = node;
        return () => value;
      }
      case 'ident':
        return this.named(node.name);
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
        return node.variable === '#unused' ? this.binding(node) : this.loop(node);
    }
  }

  private named(name: string): CelStep {
    const type = this.checked.variables.has(name) || name === ACCUMULATOR ? undefined : this.types.get(name);
    if (type) {
      const value = new CelTypeValue(type);
      return () => value;
    }
    return (activation) => {
      activation.meter.charge(1);
      return activation.get(name);
    };
  }

  private select(node: CelNode & { kind: 'select' }): CelStep {
    const name = this.checked.names.get(node);
    if (name !== undefined) return this.named(name);
    const operand = this.compile(node.operand);
    const { field, testOnly } = node;
    if (testOnly) return (activation) => presentField(operand(activation), field);
    const cost = isAttribute(node.operand) ? 1 : 2;
    return (activation) => {
      const value = operand(activation);
      activation.meter.charge(cost);
      return selectField(value, field);
    };
  }

  private call(node: CelNode & { kind: 'call' }): CelStep {
    const { name } = node;
    const spaced = this.checked.names.get(node);
    const args = [...(node.target && spaced === undefined ? [node.target] : []), ...node.args];
    const steps = args.map((arg) => this.compile(arg));
    const [first, second, third] = steps;
    switch (name) {
      case '_&&_':
        return logical(first!, second!, false);
      case '_||_':
        return logical(first!, second!, true);
      case '_?_:_':
        return (activation) => (condition(first!(activation)) ? second!(activation) : third!(activation));
      case '@not_strictly_false':
        return (activation) => notStrictlyFalse(first!, activation);
      case '_[_]':
        return access(first!, second!, isAttribute(args[0]!) ? 1 : 2, indexValue);
      case '_[?_]':
      case '_?._':
        return access(first!, second!, isAttribute(args[0]!) ? 1 : 2, optionalIndex);
      default:
        return this.append(node, steps) ?? this.function(node, spaced ?? name, args, steps);
    }
  }

  /** Appends to the list of the loop, instead of making a new one each time. */
  private append(node: CelNode & { kind: 'call' }, steps: readonly CelStep[]): CelStep | undefined {
    const [list, items] = node.args;
    if (list?.kind !== 'ident' || list.name !== ACCUMULATOR) return undefined;
    if (node.name === 'cel.@mapInsert') return mapInsert(steps);
    if (node.name !== '_+_' || items?.kind !== 'list') return undefined;
    const [accumulator, added] = steps;
    return (activation) => {
      const result = accumulator!(activation) as CelValue[];
      result.push(...(added!(activation) as CelValue[]));
      activation.meter.charge(1);
      return result;
    };
  }

  private function(node: CelNode, name: string, args: readonly CelNode[], steps: readonly CelStep[]): CelStep {
    const overloads = this.checked.overloads.get(node)!;
    const isCertain = overloads.length === 1 && !args.some((arg) => isUncertain(this.checked.types.get(arg)!));
    const isSetMembership = name === '@in' && args[1]!.kind === 'list' && isConstantList(args[1]);
    const isKnownAhead = !isSetMembership && !COSTS_BY_RESULT.has(name);
    return (activation) => {
      const values = steps.map((step) => step(activation));
      const overload = isCertain ? overloads[0]! : chooseOverload(overloads, values);
      // The cost of a range is counted before it is made, as it may be far beyond the limit.
      const ahead = name === 'lists.range' ? Math.max(Number(values[0]), 0) : 0;
      if (ahead > 0) activation.meter.charge(ahead);
      // So is all else whose cost does not depend on what comes out: comparing all items of a long list takes seconds.
      if (isKnownAhead) activation.meter.charge(callCost(name, overload.id, values));
      const result = overload.evaluate(...values);
      if (!isKnownAhead && !isSetMembership)
        activation.meter.charge(callCost(name, overload.id, values, result) - ahead);
      return result;
    };
  }

  private list(node: CelNode & { kind: 'list' }): CelStep {
    const steps = node.items.map((item) => this.compile(item));
    const cost = isConstantList(node) && steps.length > 0 ? 0 : LIST_COST;
    return (activation) => {
      const items: CelValue[] = [];
      steps.forEach((step, index) => {
        const value = step(activation);
        if (!node.optional.has(index)) items.push(value);
        else if ((value as CelOptional).value !== undefined) items.push((value as CelOptional).value!);
      });
      activation.meter.charge(cost);
      return items;
    };
  }

  private map(node: CelNode & { kind: 'map' }): CelStep {
    const steps = node.entries.map(({ key, value, optional }) => ({
      key: this.compile(key),
      value: this.compile(value),
      optional,
    }));
    return (activation) => {
      const entries: [CelValue, CelValue][] = [];
      for (const { key, value, optional } of steps) {
        const name = key(activation);
        const member = value(activation);
        if (!optional) entries.push([name, member]);
        else if ((member as CelOptional).value !== undefined) entries.push([name, (member as CelOptional).value!]);
      }
      activation.meter.charge(MAP_COST);
      const map = new EntryMap(entries);
      if (map.size < entries.length) throw new CelEvaluationError('Failed with repeated key');
      return map;
    };
  }

  private struct(node: CelNode & { kind: 'struct' }): CelStep {
    const type = this.types.get(node.name)!;
    const steps = node.fields.map(({ name, value, optional }) => ({ name, value: this.compile(value), optional }));
    return (activation) => {
      const entries: [CelValue, CelValue][] = [];
      for (const { name, value, optional } of steps) {
        const member = value(activation);
        if (!optional) entries.push([name, member]);
        else if ((member as CelOptional).value !== undefined) entries.push([name, (member as CelOptional).value!]);
      }
      activation.meter.charge(STRUCT_COST);
      return new StructValue(type, entries);
    };
  }

  private binding(node: ComprehensionNode): CelStep {
    const initial = this.compile(node.initial);
    const result = this.compile(node.result);
    return (activation) => {
      activation.meter.charge(LIST_COST);
      return result(activation.with(node.accumulator, initial(activation)));
    };
  }

  private loop(node: ComprehensionNode): CelStep {
    const range = this.compile(node.range);
    const initial = this.compile(node.initial);
    const goesOn = this.compile(node.condition);
    const step = this.compile(node.step);
    const result = this.compile(node.result);
    // Only quantifiers absorb errors of single items.
    const absorbs = node.condition.kind === 'call';
    const { variable, second, accumulator } = node;
    return (activation) => {
      const values = range(activation);
      const state = activation.with(accumulator, initial(activation));
      const item = state.with(variable);
      const other = second === undefined ? item : item.with(second);
      const visit = (first: CelValue, next: CelValue): boolean => {
        item.value = first;
        if (second !== undefined) other.value = next;
        if (goesOn(other) !== true) return false;
        state.value = absorbs ? attempt(step, other) : step(other);
        return true;
      };
      eachEntry(values, second !== undefined, visit);
      return result(state);
    };
  }
}

function eachEntry(values: CelValue, isDouble: boolean, visit: (first: CelValue, second: CelValue) => boolean): void {
  if (Array.isArray(values)) {
    const items = values as readonly CelValue[];
    items.every((item, index) => (isDouble ? visit(BigInt(index), item) : visit(item, null)));
    return;
  }
  if (!(values instanceof CelMap)) throw noSuchOverload();
  for (const key of values.keys()) {
    if (!visit(key, isDouble ? values.get(key)! : null)) return;
  }
}

function access(
  operand: CelStep,
  key: CelStep,
  cost: number,
  read: (value: CelValue, key: CelValue) => CelValue,
): CelStep {
  return (activation) => {
    const value = operand(activation);
    const index = key(activation);
    activation.meter.charge(cost);
    return read(value, index);
  };
}

function chooseOverload(overloads: readonly CelOverload[], values: readonly CelValue[]): CelOverload {
  const fitting = overloads.find(({ parameters }) =>
    values.every((value, index) => fitsType(value, parameters[index]!)),
  );
  if (!fitting) throw noSuchOverload();
  return fitting;
}

function isUncertain(type: CelType): boolean {
  return type.kind === 'dyn' || type.kind === 'error' || type.parameters.some(isUncertain);
}

function isAttribute(node: CelNode): boolean {
  if (node.kind === 'ident') return true;
  if (node.kind === 'select') return !node.testOnly && isAttribute(node.operand);
  return node.kind === 'call' && (node.name === '_[_]' || node.name === '_?._') && isAttribute(node.args[0]!);
}

function isConstantList(node: CelNode | undefined): boolean {
  return node?.kind === 'list' && node.optional.size === 0 && node.items.every((item) => item.kind === 'literal');
}
