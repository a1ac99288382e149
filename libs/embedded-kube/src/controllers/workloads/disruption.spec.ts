import { Cluster, DEPLOYMENTS, PODS, selector, template } from './workloads.spec-support.js';

const BUDGETS = { group: 'policy', plural: 'poddisruptionbudgets' };
let cluster: Cluster;
const status = () => cluster.status(BUDGETS, 'web');
const condition = (): string => `${status().conditions[0].status} ${status().conditions[0].reason}`;

beforeEach(async () => {
  cluster = await Cluster.start();
  await cluster.create(DEPLOYMENTS, {
    metadata: { name: 'web' },
    spec: { replicas: 4, selector, template: template() },
  });
  await cluster.clock.advance(5000);
});
afterEach(() => cluster.kube.stop());

describe('DisruptionController', () => {
  it.each([
    [{ minAvailable: 3 }, { desiredHealthy: 3, disruptionsAllowed: 1 }],
    [{ minAvailable: '50%' }, { desiredHealthy: 2, disruptionsAllowed: 2 }],
    [{ maxUnavailable: 1 }, { desiredHealthy: 3, disruptionsAllowed: 1 }],
    [{ minAvailable: 4 }, { desiredHealthy: 4, disruptionsAllowed: 0 }],
  ])('should say how many pods may go under %j', async (spec, expected) => {
    await cluster.create(BUDGETS, { metadata: { name: 'web' }, spec: { selector, ...spec } });
    await cluster.clock.advance(1000);
    expect(status()).toMatchObject({ expectedPods: 4, currentHealthy: 4, observedGeneration: 1, ...expected });
    expect(condition()).toBe(expected.disruptionsAllowed ? 'True SufficientPods' : 'False InsufficientPods');
  });

  it('should follow the readiness of pods', async () => {
    await cluster.create(BUDGETS, { metadata: { name: 'web' }, spec: { selector, minAvailable: 3 } });
    const [name] = cluster.names(PODS);
    await cluster.patch(PODS, name, { status: { conditions: [{ type: 'Ready', status: 'False' }] } }, 'status');
    await cluster.clock.advance(1000);
    expect(status()).toMatchObject({ currentHealthy: 3, disruptionsAllowed: 0 });
  });
});
