import { KopfOptionsError } from '../common/kopf.errors.js';
import { getMetadataStorage, ValidateBy, type ValidationError, validateSync } from 'class-validator';

/**
 * A rule for the value of an option: returns its violation, such as `must be true or false`, or `undefined`.
 *
 * @param options all options, for rules that depend on other options.
 */
export type OptionRule = (value: unknown, options: Readonly<Record<string, unknown>>) => string | undefined;

/** A class with the options as members, and their rules as decorators: those of class-validator, and {@link Rule}. */
export type OptionsClass = abstract new (...args: never[]) => object;

/** The options of a validation. */
export interface OptionValidation {
  /** Returns an option as its users write it: `queueing.workerLimit`. @default its name */
  readonly titleOf?: (name: string) => string;
  /** Whether members that are `undefined` are validated, too. @default false: they count as not given */
  readonly isComplete?: boolean;
  /** The names that an unknown name is compared with. @default the names with rules */
  readonly known?: readonly string[];
}

/** Creates a rule from a condition. */
export function must(requirement: string, isValid: (value: unknown) => boolean): OptionRule {
  return (value) => (isValid(value) ? undefined : `must be ${requirement}`);
}

/** Whether a value keeps a rule that does not depend on other options. */
export function satisfies(value: unknown, rule: OptionRule): boolean {
  return rule(value, {}) === undefined;
}

// Like all rules, these return the violation: satisfies() makes a condition of a rule.
export const isString = must('a string', (value) => typeof value === 'string');
export const isText = must('a non-empty string', (value) => typeof value === 'string' && value !== '');
export const isFlag = must('true or false', (value) => typeof value === 'boolean');
export const isFunction = must('a function', (value) => typeof value === 'function');
export const isObject = must('an object', (value) => typeof value === 'object' && value !== null);
export const isNamed = must('an object with a name', (value) =>
  satisfies((value as { readonly name?: unknown } | null)?.name, isText),
);
export const isList = must('a list', (value) => Array.isArray(value));
export const isCount = must(
  'a whole number, not negative',
  (value) => Number.isInteger(value) && (value as number) >= 0,
);
export const isSeconds = must('a number of seconds, not negative', (value) => typeof value === 'number' && value >= 0);
export const isDuration = must('a number of seconds above 0', (value) => typeof value === 'number' && value > 0);

/** Creates a rule that accepts only these values. */
export function oneOf(...values: readonly string[]): OptionRule {
  const list = values.map((value) => `'${value}'`);
  const last = list.pop();
  const comma = list.length > 1 ? ',' : '';
  return must(`${list.join(', ')}${comma} or ${last}`, (value) => values.includes(value as string));
}

/** Requires other options beside the one that has the rule. */
export function needs(...names: readonly string[]): OptionRule {
  return (value, options) =>
    !isGiven(value) || names.some((name) => isGiven(options[name]))
      ? undefined
      : `needs the option ${quote(names, 'or')}`;
}

/** Rejects other options beside the one that has the rule. */
export function excludes(...names: readonly string[]): OptionRule {
  return (value, options) => {
    const others = names.filter((name) => isGiven(options[name]));
    return isGiven(value) && others.length > 0 ? `excludes the option ${quote(others, 'and')}` : undefined;
  };
}

/** Applies a rule only to an option that is `true`. */
export function whenTrue(rule: OptionRule): OptionRule {
  return (value, options) => (value === true ? rule(value, options) : undefined);
}

/** Validates an option by rules; the first violation is reported. Without rules, it only declares the option. */
export function Rule(...rules: readonly OptionRule[]): PropertyDecorator {
  const find = (value: unknown, options: object): string | undefined => {
    for (const rule of rules) {
      const violation = rule(value, options as Record<string, unknown>);
      if (violation) return violation;
    }
    return undefined;
  };
  return ValidateBy({
    name: 'rule',
    validator: {
      validate: (value, args) => find(value, args!.object) === undefined,
      defaultMessage: (args) => `${args!.property} ${find(args!.value, args!.object)}`,
    },
  });
}

/**
 * Finds the violations of options, by the rules of their class: invalid values, and unknown names. No other function validates options by
 * class-validator.
 *
 * @returns one text for each invalid option, in their order, which begins with its title.
 * @example findOptionViolations(HealthSettings, { maxEventLoopLag: -1 }) // ['maxEventLoopLag must be a number of seconds above 0']
 */
export function findOptionViolations(
  rules: OptionsClass,
  options: object,
  { titleOf = (name) => name, isComplete = false, known = listOptions(rules) }: OptionValidation = {},
): readonly string[] {
  const names = listOptions(rules);
  const given = Object.entries(options).filter(([, value]) => isComplete || value !== undefined);
  const existing = Object.fromEntries(given.filter(([name]) => names.includes(name)));
  const instance = Object.assign(Object.create(rules.prototype as object) as object, existing);
  const errors = validateSync(instance, {
    skipUndefinedProperties: !isComplete,
    validationError: { target: false, value: false },
  });
  const texts = new Map(errors.map((error) => [error.property, describe(error, titleOf(error.property))]));
  for (const [name] of given) {
    if (!names.includes(name)) texts.set(name, `${titleOf(name)} does not exist; ${advise(name, known)}`);
  }
  const order = given.map(([name]) => name).filter((name) => texts.has(name));
  return [...new Set([...order, ...texts.keys()])].map((name) => texts.get(name)!);
}

/**
 * Validates options by the rules of their class.
 *
 * @param module the module of the options, for messages: `KopfHealthModule`.
 * @throws KopfOptionsError that names every invalid option.
 */
export function checkOptions(
  rules: OptionsClass,
  options: object,
  module: string,
  validation: OptionValidation = {},
): void {
  const violations = findOptionViolations(rules, options, validation);
  if (violations.length > 0) throw new KopfOptionsError(violations, module);
}

/**
 * Requires the options that a factory has returned.
 *
 * @param source the function, for messages: `useFactory of KopfModule.forRootAsync()`.
 * @throws KopfOptionsError if the factory has returned none.
 */
export function requireOptions<T>(made: T, source: string, module: string): T {
  if (typeof made === 'object' && made !== null) return made;
  const returned = made === undefined || made === null ? 'nothing' : `a ${typeof made}`;
  throw new KopfOptionsError(
    [`${source} has returned ${returned}, so return an object from it, which is empty if the defaults are right`],
    module,
  );
}

/**
 * Puts the path of an option into a message of class-validator, which begins with the property, or with `each value in` it. Messages of
 * users can have any form.
 */
export function withPath(message: string, property: string, path: string): string {
  for (const start of [`${property} `, `each value in ${property} `, `nested property ${property} `]) {
    if (message.startsWith(start))
      return `${start.slice(0, -property.length - 1)}${path} ${message.slice(start.length)}`;
  }
  return `${path}: ${message}`;
}

/** Returns the violation that says most: decorators are evaluated from the last one to the first, which is that of the type. */
function describe({ property, constraints = {} }: ValidationError, title: string): string {
  const messages = Object.values(constraints).reverse();
  return messages.map((message) => withPath(message, property, title)).join(', and ');
}

const namesOf = new WeakMap<OptionsClass, readonly string[]>();

/** Lists the names of all options of a class, those of its base classes first. */
export function listOptions(rules: OptionsClass): readonly string[] {
  const known = namesOf.get(rules);
  if (known) return known;
  const metadata = getMetadataStorage().getTargetValidationMetadatas(rules, '', false, false);
  const own = metadata.filter(({ target }) => target === rules);
  const inherited = metadata.filter(({ target }) => target !== rules);
  const names = [...new Set([...inherited, ...own].map(({ propertyName }) => propertyName))];
  namesOf.set(rules, names);
  return names;
}

/** Suggests the option that was probably meant; otherwise lists all options. */
function advise(name: string, names: readonly string[]): string {
  const distances = names.map((other) => ({ other, distance: editDistance(name, other) }));
  const [nearest] = distances.sort((a, b) => a.distance - b.distance);
  const limit = Math.min(2, Math.floor(name.length / 2));
  return nearest && nearest.distance <= limit ? `did you mean ${nearest.other}?` : `there are ${names.join(', ')}`;
}

/** Counts the characters to insert, remove, or replace in order to turn one text into the other, in any case. */
function editDistance(one: string, other: string): number {
  const [from, to] = [one.toLowerCase(), other.toLowerCase()];
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const replaced = row[j - 1] + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j] + 1, next[j - 1] + 1));
    }
    row = next;
  }
  return row[to.length];
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function quote(names: readonly string[], conjunction: string): string {
  return names.map((name) => `'${name}'`).join(` ${conjunction} `);
}
