// selectors: label and field selectors, parsed and matched with the real server's error messages.
// Pure functions of text and objects: lists, watches and webhooks decide with them what they are about.
// May import: nothing of this library.

import { LabelParser } from './label.parser.js';
import { type LabelOperator, LabelRequirement } from './label.requirement.js';

/** A label selector as objects carry it: `spec.selector` of workloads. */
export interface LabelSelectorObject {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
  }[];
}

/** Requirements on labels, all of which must hold. */
export class LabelSelector {
  constructor(readonly requirements: readonly LabelRequirement[]) {}

  /** Whether every object matches. */
  get isEmpty(): boolean {
    return this.requirements.length === 0;
  }

  matches(labels: Readonly<Record<string, string>> | undefined): boolean {
    const present = labels ?? {};
    return this.requirements.every((requirement) => requirement.matches(present));
  }

  toString(): string {
    return this.requirements.join(',');
  }
}

/**
 * Parses the text of a label selector: `a=b`, `a==b`, `a!=b`, `a in (b,c)`, `a notin (b)`, `a`, `!a`, `a>1`, `a<1`, joined by commas.
 *
 * @throws SelectorError with the real server's message
 * @example parseLabelSelector('app=web,tier in (a,b)').matches({ app: 'web', tier: 'a' })
 */
export function parseLabelSelector(text: string): LabelSelector {
  return new LabelSelector(new LabelParser(text).parse());
}

/**
 * Makes a selector of the form that objects carry.
 *
 * @throws SelectorError if a key, an operator or a value is invalid
 */
export function labelSelectorOf(object: LabelSelectorObject): LabelSelector {
  const requirements = Object.entries(object.matchLabels ?? {}).map(([key, value]) =>
    LabelRequirement.create(key, '=', [value]),
  );
  for (const { key, operator, values } of object.matchExpressions ?? []) {
    requirements.push(LabelRequirement.create(key, OPERATORS[operator] ?? 'exists', values ?? []));
  }
  return new LabelSelector(requirements.sort((left, right) => (left.key < right.key ? -1 : 1)));
}

const OPERATORS: Readonly<Record<string, LabelOperator>> = {
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: '!',
};
