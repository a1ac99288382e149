import { addField, addToClass } from './field.metadata.js';
import { escapeField } from './schema/cel.names.js';
import type { ValidationRule } from './schema/schema.node.js';

/** The options of `@CelRule()`. */
export type CelRuleOptions = Omit<ValidationRule, 'rule'>;

/**
 * Adds a rule in the Common Expression Language, which the API server evaluates for the field, or for objects of the class. `self` is the
 * value, and `oldSelf` the value before a change. Several rules can be added. class-validator does not check them.
 *
 * @example
 * @CelRule('self.min <= self.max', { message: 'min must not be above max', fieldPath: '.min' })
 * class Range {}
 */
export function CelRule(rule: string, options: CelRuleOptions = {}): PropertyDecorator & ClassDecorator {
  return (target: object, property?: string | symbol) => addRule(target, property, { rule, ...options });
}

/**
 * Requires one of the fields, and only one.
 *
 * @example
 * @ExactlyOneOf('secret', 'configMap')
 * class Source {}
 */
export function ExactlyOneOf(...fields: readonly [string, string, ...string[]]): ClassDecorator {
  const message = `exactly one of the fields in [${fields.join(' ')}] must be set`;
  return (type) => addToClass(type, { rules: [{ rule: `${countOf(fields)} == 1`, message }] });
}

/** Allows one of the fields, or none of them. */
export function AtMostOneOf(...fields: readonly [string, string, ...string[]]): ClassDecorator {
  const message = `at most one of the fields in [${fields.join(' ')}] may be set`;
  return (type) => addToClass(type, { rules: [{ rule: `${countOf(fields)} <= 1`, message }] });
}

/**
 * Rejects changes of the field, or of all fields of the class. The field can also neither be added nor removed later; the object that
 * contains it can.
 */
export function Immutable({ message }: { readonly message?: string } = {}): PropertyDecorator & ClassDecorator {
  return (target: object, property?: string | symbol) => {
    const text = message ?? `${property === undefined ? 'the value' : String(property)} is immutable`;
    addRule(target, property, { rule: 'self == oldSelf', message: text });
    if (property !== undefined) addField(target, String(property), { isImmutable: true });
  };
}

function addRule(target: object, property: string | symbol | undefined, rule: ValidationRule): void {
  if (property === undefined) addToClass(target as Function, { rules: [rule] });
  else addField(target, String(property), { rules: [rule] });
}

function countOf(fields: readonly string[]): string {
  return `[${fields.map((field) => `has(self.${escapeField(field)})`).join(', ')}].filter(x, x == true).size()`;
}
