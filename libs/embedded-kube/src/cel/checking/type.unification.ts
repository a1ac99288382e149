import { type CelType, DYN, generic, typeParameter } from '../values/cel.type.js';

/** The types that stand for type parameters while an expression is checked. What does not fit leaves no trace. */
export class TypeUnification {
  private substitutions = new Map<string, CelType>();
  private count = 0;

  /** Makes a type parameter that no other type has. */
  fresh(): CelType {
    this.count += 1;
    return typeParameter(`_var${this.count - 1}`);
  }

  /** Returns the types of a signature with fresh type parameters. */
  instantiate(types: readonly CelType[]): CelType[] {
    const own = new Map<string, CelType>();
    const rename = (type: CelType): CelType => {
      if (type.kind === 'parameter') {
        const renamed = own.get(type.name) ?? this.fresh();
        own.set(type.name, renamed);
        return renamed;
      }
      return type.parameters.length > 0 ? generic(type.kind, type.name, type.parameters.map(rename)) : type;
    };
    return types.map(rename);
  }

  /** Checks that each type can be used as the other of the same index, and keeps what that means for parameters. */
  assign(types: readonly CelType[], targets: readonly CelType[]): boolean {
    const saved = new Map(this.substitutions);
    if (this.unifyAll(types, targets)) return true;
    this.substitutions = saved;
    return false;
  }

  /**
   * Replaces type parameters by what they stand for.
   *
   * @param closed replaces those that stand for nothing by `dyn`
   */
  resolve(type: CelType, closed = false): CelType {
    if (type.kind === 'parameter') {
      const known = this.substitutions.get(type.name);
      if (known) return this.resolve(known, closed);
      return closed ? DYN : type;
    }
    if (type.parameters.length === 0) return type;
    return generic(
      type.kind,
      type.name,
      type.parameters.map((each) => this.resolve(each, closed)),
    );
  }

  /** Returns the type that both types can be used as, of two that are known to unify. */
  mostGeneral(left: CelType, right: CelType): CelType {
    return isEqualOrLessSpecific(left, right) ? left : right;
  }

  private unifyAll(types: readonly CelType[], targets: readonly CelType[]): boolean {
    return types.length === targets.length && types.every((type, index) => this.unify(type, targets[index]!));
  }

  private unify(type: CelType, target: CelType): boolean {
    if (target.kind === 'parameter') {
      const { valid, known } = this.substitute(type, target);
      if (valid) return true;
      if (known) return false;
    }
    if (type.kind === 'parameter') return this.substitute(target, type).valid;
    if (isAny(type) || isAny(target)) return true;
    if (type.kind === 'null') return isNullable(target);
    if (target.kind === 'null') return isNullable(type);
    if (type.kind === 'type') return target.kind === 'type';
    if (type.kind !== target.kind || type.name !== target.name) return false;
    return this.unifyAll(type.parameters, target.parameters);
  }

  private substitute(type: CelType, parameter: CelType): { readonly valid: boolean; readonly known: boolean } {
    if (type.kind === 'parameter' && type.name === parameter.name) return { valid: true, known: true };
    const known = this.substitutions.get(parameter.name);
    if (!known) {
      if (!this.isFreeOf(parameter, type)) return { valid: false, known: false };
      this.substitutions.set(parameter.name, type);
      return { valid: true, known: false };
    }
    if (known.text === type.text) return { valid: true, known: true };
    if (!this.unify(type, known)) return { valid: false, known: true };
    const general = this.mostGeneral(type, known);
    if (this.isFreeOf(parameter, general)) this.substitutions.set(parameter.name, general);
    return { valid: true, known: true };
  }

  /** Checks that a parameter does not occur in what it is to stand for. */
  private isFreeOf(parameter: CelType, within: CelType): boolean {
    if (within.kind !== 'parameter') return within.parameters.every((each) => this.isFreeOf(parameter, each));
    if (within.name === parameter.name) return false;
    const known = this.substitutions.get(within.name);
    return !known || this.isFreeOf(parameter, known);
  }
}

function isAny(type: CelType): boolean {
  return type.kind === 'dyn' || type.kind === 'error';
}

function isNullable({ kind }: CelType): boolean {
  return kind === 'null' || ['opaque', 'struct', 'duration', 'timestamp'].includes(kind);
}

function isEqualOrLessSpecific(left: CelType, right: CelType): boolean {
  if (left.kind === 'dyn' || left.kind === 'parameter') return true;
  if (right.kind === 'dyn' || right.kind === 'parameter') return false;
  if (left.kind !== right.kind || left.name !== right.name) return false;
  return left.parameters.every((each, index) => isEqualOrLessSpecific(each, right.parameters[index]!));
}
