import { PER_CALL_LIMIT } from '../../cel/cel.environment.js';
import type { CelVariables } from '../../cel/evaluation/activation.js';
import { CostMeter } from '../../cel/evaluation/cost.meter.js';
import { CelCostError, CelEvaluationError } from '../../cel/values/cel.error.js';
import { CelOptional, type CelValue } from '../../cel/values/cel.value.js';
import type { DeclaredType } from '../../cel/values/declared.type.js';
import { fromJson } from '../../cel/values/json.value.js';
import { isMapping, jsonEqual, mapping } from '../../common/json.values.js';
import { type FieldError, invalidField } from '../../errors/field.error.js';
import type { StructuralSchema } from '../schema/structural.schema.js';
import { RuleBudget } from './rule.budget.js';
import { type CompiledRule, compileRules } from './rule.compiler.js';
import { describeRule, MessageBudgetError, violation, violationText } from './rule.messages.js';
import { declareSchema } from '../../cel/values/schema.declaration.js';
import { parseFieldPath } from '../schema/schema.path.js';

/** A value with the one that it replaces. */
interface Compared {
  readonly path: string;
  readonly value: unknown;
  readonly old: unknown;
  /** Whether the value, or what it is in, is as it was: then a violation is only warned of. */
  readonly isUnchanged: boolean;
}

/** The evaluation of the rules of a schema: `x-kubernetes-validations`. */
export class RuleValidator {
  private constructor(
    private readonly schema: StructuralSchema,
    private readonly declared: DeclaredType | undefined,
    private readonly rules: readonly CompiledRule[],
    private readonly properties: ReadonlyMap<string, RuleValidator>,
    private readonly element: RuleValidator | undefined,
  ) {}

  /** Creates a validator; undefined if there are no rules in a schema. */
  static create(schema: StructuralSchema, isRoot: boolean, name = 'object'): RuleValidator | undefined {
    const rules = schema['x-kubernetes-validations'] ?? [];
    const properties = new Map<string, RuleValidator>();
    for (const [key, property] of Object.entries(schema.properties ?? {})) {
      const child = RuleValidator.create(
        property,
        property['x-kubernetes-embedded-resource'] === true,
        `${name}.${key}`,
      );
      if (child) properties.set(key, child);
    }
    const { additionalProperties, items } = schema;
    const inner = items ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined);
    const element = inner && RuleValidator.create(inner, inner['x-kubernetes-embedded-resource'] === true, `${name}.@`);
    if (rules.length === 0 && properties.size === 0 && !element) return undefined;
    const declared = rules.length > 0 ? declareSchema(schema, name, isRoot) : undefined;
    const compiled = declared ? compileRules(rules, declared) : [];
    return new RuleValidator(schema, declared, compiled, properties, element);
  }

  /**
   * @param old the value before; undefined for a new one
   * @param warn gets violations of what did not change
   */
  validate(
    value: unknown,
    old: unknown,
    path = '',
    warn: (warning: string) => void = () => undefined,
    budget = new RuleBudget(),
  ): FieldError[] {
    const errors: FieldError[] = [];
    const isUnchanged = old !== undefined && jsonEqual(value, old);
    try {
      this.visit({ path, value, old, isUnchanged }, errors, warn, budget);
    } catch (error) {
      if (!(error instanceof MessageBudgetError)) throw error;
      errors.push(invalidField(path || '<nil>', this.schema.type, error.message));
    }
    return errors;
  }

  private visit(compared: Compared, errors: FieldError[], warn: (warning: string) => void, budget: RuleBudget): void {
    if (compared.value === null || compared.value === undefined) return;
    this.evaluate(compared, errors, warn, budget);
    for (const [child, validator] of this.children(compared)) {
      if (budget.isExhausted) return;
      validator.visit(child, errors, warn, budget);
    }
  }

  private *children({ path, value, old, isUnchanged }: Compared): Iterable<readonly [Compared, RuleValidator]> {
    if (Array.isArray(value)) {
      if (!this.element) return;
      for (const [index, item] of value.entries()) {
        const before = this.correlated(item, old);
        const same = before === undefined ? isUnchanged : jsonEqual(item, before);
        yield [{ path: `${path}[${index}]`, value: item, old: before, isUnchanged: same }, this.element];
      }
      return;
    }
    if (!isMapping(value)) return;
    const before = isMapping(old) ? old : {};
    for (const [key, member] of Object.entries(value)) {
      const previous = Object.hasOwn(before, key) ? before[key] : undefined;
      const own = this.properties.get(key);
      const validator = own ?? (this.schema.properties ? undefined : this.element);
      if (!validator) continue;
      const same = isUnchanged || (previous !== undefined && jsonEqual(member, previous));
      const memberPath = own ? (path ? `${path}.${key}` : key) : `${path}[${key}]`;
      yield [{ path: memberPath, value: member, old: previous, isUnchanged: same }, validator];
    }
  }

  /** Finds the item that an item of a list replaces, if the items have keys. */
  private correlated(item: unknown, old: unknown): unknown {
    if (this.schema['x-kubernetes-list-type'] !== 'map' || !Array.isArray(old)) return undefined;
    const keys = this.schema['x-kubernetes-list-map-keys'] ?? [];
    return old.find((each: unknown) => keys.every((key) => jsonEqual(mapping(each)[key], mapping(item)[key])));
  }

  private evaluate(
    { path, value, old, isUnchanged }: Compared,
    errors: FieldError[],
    warn: (warning: string) => void,
    budget: RuleBudget,
  ): void {
    if (this.rules.length === 0) return;
    const field = path || '<nil>';
    const { type } = this.schema;
    if (budget.isEmpty) {
      errors.push(invalidField(field, type, OUT_OF_BUDGET));
      budget.end();
      return;
    }
    const variables = this.variables(value, old);
    for (const compiled of this.rules) {
      const { rule, program, error } = compiled;
      if (error !== undefined) errors.push(invalidField(field, type, `rule compile error: ${error}`));
      if (!program) continue;
      const usesOld = program.uses('oldSelf');
      if (usesOld && old === undefined && !rule.optionalOldSelf) continue;
      const own = rule.optionalOldSelf ? variables.optional : variables.plain;
      const meter = new CostMeter(PER_CALL_LIMIT);
      const result = attempt(() => program.evaluateWith(own, meter));
      if (!budget.take(meter.spent)) {
        errors.push(invalidField(field, type, OUT_OF_BUDGET));
        return;
      }
      if (result === true) continue;
      if (result instanceof CelEvaluationError) {
        errors.push(invalidField(field, type, describeFailure(result, compiled)));
        if (!(result instanceof CelCostError)) continue;
        budget.end();
        return;
      }
      const detail = violationText(compiled, own, budget);
      const found = violation(rule, this.reported(path, rule.fieldPath), value, type, detail);
      if (isUnchanged && !usesOld) warn(`${found.field}: ${found.message}`);
      else errors.push(found);
    }
  }

  private reported(path: string, fieldPath: string | undefined): string {
    const relative = fieldPath ? parseFieldPath(fieldPath, this.schema) : undefined;
    if (!relative || typeof relative === 'string') return path || '<nil>';
    return path ? `${path}.${relative.path}` : relative.path;
  }

  private variables(value: unknown, old: unknown): { readonly plain: CelVariables; readonly optional: CelVariables } {
    const self = fromJson(value, this.declared);
    const before: CelValue | undefined = old === undefined || old === null ? undefined : fromJson(old, this.declared);
    const give =
      (oldSelf: CelValue | undefined): CelVariables =>
      (name) =>
        name === 'self' ? self : name === 'oldSelf' ? oldSelf : undefined;
    return { plain: give(before), optional: give(before === undefined ? CelOptional.NONE : new CelOptional(before)) };
  }
}

const OUT_OF_BUDGET = 'validation failed due to running out of cost budget, no further validation rules will be run';

function attempt(run: () => CelValue): CelValue | CelEvaluationError {
  try {
    return run();
  } catch (error) {
    if (error instanceof CelEvaluationError) return error;
    throw error;
  }
}

function describeFailure({ message }: CelEvaluationError, { rule }: CompiledRule): string {
  if (message.startsWith('no such overload')) {
    return `'${message}': call arguments did not match a supported operator, function or macro signature for rule: ${describeRule(rule)}`;
  }
  if (message.startsWith('operation cancelled')) {
    return `'${message}': no further validation rules will be run due to call cost exceeds limit for rule: ${describeRule(rule)}`;
  }
  return `${message} evaluating rule: ${describeRule(rule)}`;
}
