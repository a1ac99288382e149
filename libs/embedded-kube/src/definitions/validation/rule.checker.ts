import type { DeclaredType } from '../../cel/values/declared.type.js';
import { type FieldError, forbiddenField, invalidField } from '../../errors/field.error.js';
import type { StructuralSchema, ValidationRule } from '../schema/structural.schema.js';
import { compileRules } from '../rules/rule.compiler.js';
import { declareSchema, maxCardinality } from '../../cel/values/schema.declaration.js';
import type { RawSchema } from './schema.nodes.js';

/** The most that one rule, and all rules of a schema together, may cost by estimation. */
const RULE_LIMIT = 10_000_000;
const SCHEMA_LIMIT = 100_000_000;
/** The number of rules that are named when all together cost too much. */
const MOST_EXPENSIVE = 4;

/** The costs of all rules of one schema. */
export class RuleCosts {
  private total = 0;
  private readonly found: { readonly path: string; readonly cost: number }[] = [];
  private readonly expensive: { readonly path: string; readonly cost: number }[] = [];

  add(path: string, cost: number): void {
    if (cost === 0) return;
    this.total += cost;
    this.found.push({ path, cost });
    this.expensive.push({ path, cost });
    this.expensive.sort((a, b) => b.cost - a.cost);
    this.expensive.splice(MOST_EXPENSIVE);
  }

  /** The costs of each rule and each expression of a message that costs anything. */
  get all(): readonly { readonly path: string; readonly cost: number }[] {
    return this.found;
  }

  violations(path: string): FieldError[] {
    if (this.total <= SCHEMA_LIMIT) return [];
    const detail = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
    const name = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema';
    return [
      ...this.expensive.map((each) => forbiddenField(each.path, detail)),
      forbiddenField(path, costMessage(name, this.total, SCHEMA_LIMIT)),
    ];
  }
}

/** A place in a schema that rules can be about: how often data of it can occur in one object. */
export class RuleContext {
  private constructor(
    readonly schema: RawSchema,
    readonly costs: RuleCosts,
    private readonly name: string,
    private readonly isObject: boolean,
    /** `Infinity` if nothing limits how often the data can occur. */
    private readonly cardinality: number,
  ) {}

  static root(schema: RawSchema): RuleContext {
    return new RuleContext(schema, new RuleCosts(), 'object', true, 1);
  }

  property(schema: RawSchema, name: string): RuleContext {
    return this.child(schema, `${this.name}.${name}`, 1);
  }

  items(schema: RawSchema): RuleContext {
    return this.child(schema, `${this.name}.@idx`, this.schema['maxItems']);
  }

  members(schema: RawSchema): RuleContext {
    return this.child(schema, `${this.name}.@elem`, this.schema['maxProperties']);
  }

  /** Returns undefined for data that rules cannot see. */
  declare(): DeclaredType | undefined {
    return declareSchema(this.schema as StructuralSchema, this.name, this.isObject);
  }

  /** Returns how often a rule is evaluated for one object at the most. */
  times(declared: DeclaredType): number {
    return this.cardinality === Infinity ? maxCardinality(declared) : this.cardinality;
  }

  private child(schema: RawSchema, name: string, count: unknown): RuleContext {
    const times = typeof count === 'number' ? Math.max(count, 0) : Infinity;
    const cardinality = times === 0 || this.cardinality === 0 ? 0 : times * this.cardinality;
    return new RuleContext(schema, this.costs, name, schema['x-kubernetes-embedded-resource'] === true, cardinality);
  }
}

/**
 * Compiles the rules of one schema, and estimates what they cost.
 *
 * @param uncorrelated the part of the schema within which there is no `oldSelf`
 */
export function checkRules(context: RuleContext, path: string, uncorrelated: string | undefined): FieldError[] {
  const rules = (context.schema['x-kubernetes-validations'] ?? []) as readonly ValidationRule[];
  if (rules.length === 0) return [];
  const declared = context.declare();
  if (!declared) return [];
  const times = context.times(declared);
  return compileRules(rules, declared).flatMap((compiled, index) => {
    const field = `${path}.x-kubernetes-validations[${index}]`;
    const { rule, program, error, messageProgram, messageError } = compiled;
    const errors: FieldError[] = [];
    const cost = program ? multiply(program.maxCost(declared), times) : 0;
    if (cost > RULE_LIMIT)
      errors.push(forbiddenField(`${field}.rule`, costMessage('estimated rule cost', cost, RULE_LIMIT)));
    context.costs.add(`${field}.rule`, cost);
    if (error !== undefined) errors.push(invalidField(`${field}.rule`, shownRule(rule), error));
    if (messageError !== undefined) {
      errors.push(invalidField(`${field}.messageExpression`, shownRule(rule), messageError));
    } else if (messageProgram) {
      const messageCost = messageProgram.maxCost(declared);
      if (messageCost > RULE_LIMIT) {
        const detail = costMessage('estimated messageExpression cost', messageCost, RULE_LIMIT);
        errors.push(forbiddenField(`${field}.messageExpression`, detail));
      }
      context.costs.add(`${field}.messageExpression`, messageCost);
    }
    if (program?.uses('oldSelf')) {
      const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelated}`;
      if (uncorrelated !== undefined) errors.push(invalidField(`${field}.rule`, rule.rule, detail));
    } else if (rule.optionalOldSelf !== undefined) {
      const detail = 'may not be set if oldSelf is not used in rule';
      errors.push(invalidField(`${field}.optionalOldSelf`, rule.optionalOldSelf, detail));
    }
    return errors;
  });
}

/** Returns the rule as the real server's errors show it: with the names of Go's type. */
function shownRule(rule: ValidationRule): object {
  return {
    Rule: rule.rule,
    Message: rule.message ?? '',
    MessageExpression: rule.messageExpression ?? '',
    Reason: rule.reason ?? null,
    FieldPath: rule.fieldPath ?? '',
    OptionalOldSelf: rule.optionalOldSelf ?? null,
  };
}

function multiply(cost: number, times: number): number {
  return cost === 0 || times === 0 ? 0 : cost * times;
}

function costMessage(name: string, cost: number, limit: number): string {
  const factor = cost / limit;
  const shown = factor > 100 ? 'more than 100' : factor < 1.5 ? factor.toFixed(6) : factor.toFixed(1);
  return `${name} exceeds budget by factor of ${shown}x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`;
}
