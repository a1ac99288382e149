import { KopfBootstrapError } from '../common/kopf.errors.js';
import type { CustomResourceDefinition } from './definition.interface.js';

/** The maximum cost of a CEL rule for one object, as the API server estimates it. */
export interface RuleCost {
  /** The path of the rule in the CRD. */
  readonly field: string;
  /** The cost; the limits are 10,000,000 for one rule, and 100,000,000 for all rules of a schema. */
  readonly cost: number;
}

/** The package with the API server's validation, which is imported on demand. */
const PACKAGE: string = 'embedded-kube';

interface DefinitionChecker {
  checkDefinition(definition: CustomResourceDefinition): {
    readonly violations: readonly { readonly field: string; readonly message: string }[];
    readonly costs: readonly RuleCost[];
  };
}

/**
 * Checks a CRD as the API server does when it is created: its schema, its names, and its rules in CEL with their estimated costs.
 *
 * @param load imports the package `embedded-kube`.
 * @returns the costs of the rules that cost anything.
 * @throws KopfBootstrapError that names each field for which the API server would reject the CRD, with the cost of rules that are too
 * expensive.
 * @throws Error if `embedded-kube` is not installed.
 * @example
 * await checkCustomResourceDefinition(customResourceDefinition(Disk));
 */
export async function checkCustomResourceDefinition(
  definition: CustomResourceDefinition,
  load: () => Promise<unknown> = () => import(PACKAGE),
): Promise<readonly RuleCost[]> {
  const { checkDefinition } = await importChecker(load);
  const { violations, costs } = checkDefinition(definition);
  if (violations.length === 0) return costs;
  throw new KopfBootstrapError(
    violations.map(({ field, message }) => {
      const cost = costs.find((each) => placeOf(each.field) === placeOf(field));
      const figure = cost && message.includes('budget') ? ` The estimated cost is ${Math.round(cost.cost)}.` : '';
      return `${definition.metadata.name} ${field}: ${message}.${figure}`;
    }),
  );
}

/** Names the place in the schema; a field that all versions share has no version. */
function placeOf(field: string): string {
  return field.slice(field.indexOf('openAPIV3Schema'));
}

async function importChecker(load: () => Promise<unknown>): Promise<DefinitionChecker> {
  try {
    return (await load()) as DefinitionChecker;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND') throw error;
    throw new Error(
      'CRDs are checked by the package embedded-kube, which is not installed: npm install -D embedded-kube',
      {
        cause: error,
      },
    );
  }
}
