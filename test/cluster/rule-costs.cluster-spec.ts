import { administrator } from '../support/clusters/cluster.access.js';
import { DEFINITIONS, type ClusterUser } from '../support/clusters/cluster.user.js';
import { startControlPlane, type ControlPlane } from '../support/clusters/control-plane.js';
import { failure } from '../support/time/eventually.js';
import { COSTLY_RULES, definitionWith } from '../support/objects/rule.costs.js';

// The costs that are estimated without a server are compared with these factors in test/e2e/custom-resources/rule-costs.e2e-spec.ts.
describe('The API server', () => {
  let cluster: ControlPlane;
  let user: ClusterUser;

  beforeAll(async () => {
    cluster = await startControlPlane({ controllers: false });
    user = administrator(cluster);
  }, 120_000);

  afterAll(async () => {
    await user?.close();
    await cluster?.stop();
  });

  it.each(COSTLY_RULES)('should find $title as expensive as the table says', async (row) => {
    const { message } = await failure(user.create(`${DEFINITIONS}?dryRun=All`, definitionWith(row)));
    const [, factor] = /estimated rule cost exceeds budget by factor of ([\d.]+)x/.exec(message) ?? [];
    expect(Number(factor), message).toBe(row.factor);
  });
});
