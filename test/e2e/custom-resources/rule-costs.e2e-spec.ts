import { checkDefinition } from 'embedded-kube';
import { COSTLY_RULES, definitionWith } from '../../support/rule.costs.js';

/** The cost that a rule may have for one object. */
const BUDGET = 10_000_000;

// That the factors are those of the API server is tested in test/cluster/rule-costs.cluster-spec.ts.
describe('The estimated costs of rules in CEL', () => {
  it.each(COSTLY_RULES)('should be those of the API server within 10 percent: $title', (row) => {
    const { costs, violations } = checkDefinition(definitionWith(row));
    expect(violations.map(({ message }) => message).join()).toContain('estimated rule cost exceeds budget by factor');
    expect(Math.abs(costs[0].cost / BUDGET / row.factor - 1)).toBeLessThan(0.1);
  });
});
