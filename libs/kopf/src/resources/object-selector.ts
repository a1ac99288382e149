import type { KubeObject } from '../objects/kube-object.js';
import { isMap } from 'kube-common';
import { parseFieldRequirements } from './field-requirements.js';
import { parseLabelRequirements, type ObjectRequirement, type LabelExpressions } from './label-requirements.js';

/**
 * The objects that a handler is for, in the terms of the API server, which then sends no others: all requirements must hold.
 *
 * The API server evaluates the requirements that all handlers of a resource have in common; the operator checks the others.
 *
 * @example
 * const selector: ObjectSelectorOptions = { labels: 'app in (web, api), !legacy', fields: { 'status.phase': 'Running' } };
 */
export interface ObjectSelectorOptions {
  /**
   * Requirements on labels, in the API's syntax (`app=web,tier!=cache,env in (a,b),!legacy`), or in the form of Kubernetes' label
   * selectors.
   */
  readonly labels?: string | LabelExpressions;
  /** Requirements on fields, in the API's syntax (`metadata.name=web,status.phase!=Failed`), or as values by their paths. */
  readonly fields?: string | Readonly<Record<string, string>>;
}

/** A condition on the objects of a resource, by their labels and fields: an object must satisfy all requirements. */
export class ObjectSelector {
  constructor(
    readonly labels: readonly ObjectRequirement[],
    readonly fields: readonly ObjectRequirement[],
  ) {}

  /**
   * Parses a selector as users write it.
   *
   * @throws TypeError that names the violation.
   */
  static parse(options: unknown): ObjectSelector {
    if (!isMap(options)) throw new TypeError('it is not an object with labels or fields');
    const { labels, fields, ...others } = options;
    const [surplus] = Object.keys(others);
    if (surplus !== undefined) throw new TypeError(`it has labels and fields, but no ${surplus}`);
    if (labels === undefined && fields === undefined) throw new TypeError('it has neither labels nor fields');
    return new ObjectSelector(
      labels === undefined ? [] : parseLabelRequirements(labels),
      fields === undefined ? [] : parseFieldRequirements(fields),
    );
  }

  /** Returns the requirements that all selectors share; `undefined` if there are none, for example if a handler has no selector. */
  static common(selectors: readonly (ObjectSelector | undefined)[]): ObjectSelector | undefined {
    const [first, ...others] = selectors;
    if (!first) return undefined;
    const shared = (part: 'labels' | 'fields'): readonly ObjectRequirement[] =>
      first[part].filter(({ text }) => others.every((other) => other?.[part].some((item) => item.text === text)));
    const [labels, fields] = [shared('labels'), shared('fields')];
    return labels.length + fields.length > 0 ? new ObjectSelector(labels, fields) : undefined;
  }

  /** Returns the requirements that another selector does not have; `undefined` if there are none. */
  beyond(other: ObjectSelector): ObjectSelector | undefined {
    const labels = subtract(this.labels, other.labels);
    const fields = subtract(this.fields, other.fields);
    return labels.length + fields.length > 0 ? new ObjectSelector(labels, fields) : undefined;
  }

  /** The requirements on labels in the API's syntax; `undefined` if there are none. */
  get labelSelector(): string | undefined {
    return this.labels.map(({ text }) => text).join(',') || undefined;
  }

  /** The requirements on fields in the API's syntax; `undefined` if there are none. */
  get fieldSelector(): string | undefined {
    return this.fields.map(({ text }) => text).join(',') || undefined;
  }

  /** Checks whether the object satisfies all requirements, as far as this can be seen in the object. */
  check(object: KubeObject): boolean {
    return this.checkLabels(object) && this.fields.every((requirement) => requirement.check(object));
  }

  /** Checks whether the object satisfies the requirements on labels. */
  checkLabels(object: KubeObject): boolean {
    return this.labels.every((requirement) => requirement.check(object));
  }
}

function subtract(
  requirements: readonly ObjectRequirement[],
  others: readonly ObjectRequirement[],
): readonly ObjectRequirement[] {
  const known = new Set(others.map(({ text }) => text));
  return requirements.filter(({ text }) => !known.has(text));
}
