import { mapping } from '../common/json.values.js';
import type { Draft, KubeObject } from '../resources/kube-object.js';
import { DEFINITION_TRAITS } from './definition.traits.js';
import { validateDefinition } from './definition.validator.js';
import { validateOpenApi } from './validation/open-api.validator.js';
import { RuleContext } from './validation/rule.checker.js';
import { asSchema } from './validation/schema.nodes.js';

/** Something for which an API server would refuse a CRD. */
export interface DefinitionViolation {
  /** The path of the field: `spec.versions[0].schema.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule`. */
  readonly field: string;
  readonly message: string;
}

/** The most that a rule of a CRD can cost for one object, by the API server's estimate. */
export interface EstimatedCost {
  readonly field: string;
  /** The cost in the units of CEL; one rule may cost 10,000,000, and all rules of a schema together 100,000,000. */
  readonly cost: number;
}

/** The errors of a CRD, and the costs of its rules. */
export interface DefinitionReport {
  readonly violations: readonly DefinitionViolation[];
  readonly costs: readonly EstimatedCost[];
}

/**
 * Checks a new CRD as the API server does, without one.
 *
 * @example
 * const { violations, costs } = checkDefinition(definition);
 */
export function checkDefinition(definition: KubeObject): DefinitionReport {
  const draft = structuredClone(definition) as Draft;
  DEFINITION_TRAITS.defaults?.(draft);
  const { initialStatus } = DEFINITION_TRAITS;
  draft['status'] = typeof initialStatus === 'function' ? (initialStatus as (draft: Draft) => object)(draft) : {};
  const violations = validateDefinition(draft, undefined).map(({ field, message }) => ({ field, message }));
  const { versions } = mapping(draft['spec']);
  const costs = (Array.isArray(versions) ? versions : []).flatMap((version: unknown, index) => {
    const schema = asSchema(mapping(mapping(version)['schema'])['openAPIV3Schema']);
    if (!schema) return [];
    const context = RuleContext.root(schema);
    validateOpenApi(schema, `spec.versions[${index}].schema.openAPIV3Schema`, context);
    return context.costs.all.map(({ path, cost }) => ({ field: path, cost }));
  });
  return { violations, costs };
}
