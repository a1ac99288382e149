import type { KubeObject } from '../objects/kube-object.js';
import { isMap } from 'kube-common';

/** A requirement on a label, in the form of `matchExpressions` in Kubernetes objects. */
export interface LabelExpression {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  /** The values of `In` and `NotIn`: at least one. */
  readonly values?: readonly string[];
}

/** Requirements on labels, in the form of Kubernetes' label selectors; all must hold. */
export interface LabelExpressions {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly LabelExpression[];
}

/** One condition of a selector. Two conditions with the same meaning have the same text, which is in the API's syntax. */
export interface ObjectRequirement {
  readonly text: string;
  /** Whether the object satisfies the condition, as far as this can be seen in the object. */
  check(object: KubeObject): boolean;
}

/** Sorts requirements by their texts, and removes duplicates. */
export function normalizeRequirements(requirements: readonly ObjectRequirement[]): readonly ObjectRequirement[] {
  const byText = new Map(requirements.map((requirement) => [requirement.text, requirement]));
  return [...byText.values()].sort((one, other) => (one.text < other.text ? -1 : 1));
}

type Operator = 'in' | 'notin' | 'exists' | 'absent' | '>' | '<';

const NAME = String.raw`[A-Za-z0-9](?:[\w.-]{0,61}[A-Za-z0-9])?`;
const KEY = String.raw`(?:[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?/)?${NAME}`;
const VALUE = new RegExp(`^(?:${NAME})?$`);
const WHOLE_KEY = new RegExp(`^${KEY}$`);
const PRESENCE = new RegExp(String.raw`^(!?)\s*(${KEY})$`);
const COMPARISON = new RegExp(String.raw`^(${KEY})\s*(==|=|!=|>|<)\s*(\S*)$`);
const MEMBERSHIP = new RegExp(String.raw`^(${KEY})\s+(in|notin)\s*\(([^()]*)\)$`);

const OPERATORS: Readonly<Record<LabelExpression['operator'], Operator>> = {
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: 'absent',
};

/**
 * Reads a label selector in the API's syntax, or as objects have it.
 *
 * @throws TypeError if the API server would not accept it, or it selects everything.
 */
export function parseLabelRequirements(labels: unknown): readonly ObjectRequirement[] {
  const requirements = typeof labels === 'string' ? parseText(labels) : parseExpressions(labels);
  if (requirements.length === 0) throw new TypeError('the label selector is empty');
  return normalizeRequirements(requirements);
}

/** Splits the text at commas, except for those in parentheses. */
function parseText(text: string): ObjectRequirement[] {
  const terms = text.trim() === '' ? [] : text.split(/,(?![^(]*\))/);
  return terms.map((term) => parseTerm(term.trim()));
}

function parseTerm(term: string): ObjectRequirement {
  const [, negation, present] = PRESENCE.exec(term) ?? [];
  if (present !== undefined) return createRequirement(present, negation ? 'absent' : 'exists', []);
  const [, compared, comparison, value] = COMPARISON.exec(term) ?? [];
  if (comparison === '>' || comparison === '<') return createRequirement(compared, comparison, [value]);
  if (compared !== undefined) return createRequirement(compared, comparison === '!=' ? 'notin' : 'in', [value]);
  const [, key, operator, list] = MEMBERSHIP.exec(term) ?? [];
  if (key === undefined) throw new TypeError(`${JSON.stringify(term)} is not a requirement on a label`);
  const values = list.split(',').map((item) => item.trim());
  return createRequirement(key, operator as 'in' | 'notin', values);
}

function parseExpressions(labels: unknown): ObjectRequirement[] {
  if (!isMap(labels)) throw new TypeError('the label selector is neither a text nor an object');
  const { matchLabels = {}, matchExpressions = [], ...others } = labels as LabelExpressions;
  const [surplus] = Object.keys(others);
  if (surplus !== undefined) throw new TypeError(`a label selector has no ${surplus}`);
  if (!isMap(matchLabels)) throw new TypeError('matchLabels is not an object');
  if (!Array.isArray(matchExpressions)) throw new TypeError('matchExpressions is not a list');
  return [
    ...Object.entries(matchLabels).map(([key, value]) => createRequirement(key, 'in', [value])),
    ...(matchExpressions as readonly LabelExpression[]).map(parseExpression),
  ];
}

function parseExpression({ key, operator, values = [] }: LabelExpression): ObjectRequirement {
  const known = Object.hasOwn(OPERATORS, operator) ? OPERATORS[operator] : undefined;
  if (!known) throw new TypeError(`${JSON.stringify(operator)} is none of ${Object.keys(OPERATORS).join(', ')}`);
  const takesValues = known === 'in' || known === 'notin';
  if (!Array.isArray(values) || values.length > 0 !== takesValues) {
    throw new TypeError(`${operator} needs ${takesValues ? 'at least one value' : 'no values'}`);
  }
  return createRequirement(key, known, values);
}

function createRequirement(key: string, operator: Operator, given: readonly string[]): ObjectRequirement {
  if (typeof key !== 'string' || !WHOLE_KEY.test(key)) {
    throw new TypeError(`${JSON.stringify(key)} is not the name of a label`);
  }
  for (const value of given) checkValue(operator, value);
  const values = [...new Set(given)].sort();
  return {
    text: format(key, operator, values),
    check: (object) => isSatisfied(operator, values, labelOf(object, key)),
  };
}

function checkValue(operator: Operator, value: unknown): void {
  const isNumeric = operator === '>' || operator === '<';
  if (typeof value === 'string' && (isNumeric ? /^-?\d+$/ : VALUE).test(value)) return;
  throw new TypeError(`${JSON.stringify(value)} is not ${isNumeric ? 'a whole number' : 'the value of a label'}`);
}

function format(key: string, operator: Operator, values: readonly string[]): string {
  if (operator === 'exists') return key;
  if (operator === 'absent') return `!${key}`;
  if (operator === '>' || operator === '<') return `${key}${operator}${values[0]}`;
  if (values.length === 1) return `${key}${operator === 'in' ? '=' : '!='}${values[0]}`;
  return `${key} ${operator} (${values.join(',')})`;
}

function labelOf({ metadata: { labels } }: KubeObject, key: string): string | undefined {
  return labels && Object.hasOwn(labels, key) ? labels[key] : undefined;
}

function isSatisfied(operator: Operator, values: readonly string[], actual: string | undefined): boolean {
  if (operator === 'absent') return actual === undefined;
  if (operator === 'notin') return actual === undefined || !values.includes(actual);
  if (actual === undefined) return false;
  if (operator === 'exists') return true;
  if (operator === 'in') return values.includes(actual);
  if (!/^-?\d+$/.test(actual)) return false;
  return operator === '>' ? Number(actual) > Number(values[0]) : Number(actual) < Number(values[0]);
}
