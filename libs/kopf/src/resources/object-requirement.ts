import type { KubeObject } from '../objects/kube-object.js';

/**
 * Represents one condition of a selector. Two conditions with the same meaning have the same text, which is in the API's
 * syntax.
 */
export interface ObjectRequirement {
  readonly text: string;
  /** Tells whether the object satisfies it, as far as this can be seen in the object. */
  check(object: KubeObject): boolean;
}

/** Brings requirements into the order of their texts, each once. */
export function normalizeRequirements(requirements: readonly ObjectRequirement[]): readonly ObjectRequirement[] {
  const byText = new Map(requirements.map((requirement) => [requirement.text, requirement]));
  return [...byText.values()].sort((one, other) => (one.text < other.text ? -1 : 1));
}
