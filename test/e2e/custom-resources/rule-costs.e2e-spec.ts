import { checkDefinition } from 'embedded-kube';
import { COSTLY_RULES, definitionWith } from '../../support/objects/rule.costs.js';

/** The maximum cost of a rule for one object. */
const BUDGET = 10_000_000;

// test/cluster/rule-costs.cluster-spec.ts shows that the factors are those of the API server.
describe('The estimated costs of rules in CEL', () => {
  it.each(COSTLY_RULES)('should be those of the API server within 10 percent: $title', (row) => {
    const { costs, violations } = checkDefinition(definitionWith(row));
    expect(violations.map(({ message }) => message).join()).toContain('estimated rule cost exceeds budget by factor');
    expect(Math.abs(costs[0].cost / BUDGET / row.factor - 1)).toBeLessThan(0.1);
  });
});
