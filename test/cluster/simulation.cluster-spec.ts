import type { SimulationFault, SimulationPlan } from 'nestjs-kopf-simulation';
import { kopfMatchers } from 'nestjs-kopf/testing';
import { type RegressionCase, simulateCase } from '../simulation/regressions/regression.case.js';
import { REGRESSION_CASES } from '../simulation/regressions/regression.cases.js';
import { administrator } from '../support/clusters/cluster.access.js';
import { startControlPlane, type ControlPlane } from '../support/clusters/control-plane.js';

expect.extend(kopfMatchers);

/** Takes the first case that is found by each kind of fault. */
const KINDS = ['crash', 'stale', 'missed-events', 'lost-answer', 'recreate', 'drift'] as const;
const SAMPLES = KINDS.map((kind) => [kind, REGRESSION_CASES.find(({ faults }) => faults[0]?.kind === kind)!] as const);

/** Faults of other kinds, which an operator without the bug survives. */
const OTHERS: readonly SimulationFault[] = [
  { kind: 'conflict', beforeAttempt: 2, stays: true },
  { kind: 'error', ofAttempt: 2, status: 500 },
  { kind: 'error', ofRead: 2, status: 429, retryAfter: 2 },
  { kind: 'outage', afterChange: 3, seconds: 5 },
  { kind: 'freeze', afterWrite: 2, seconds: 20 },
  { kind: 'clock-jump', afterChange: 2, seconds: 3600 },
];

describe('Plans on a real control plane', () => {
  let cluster: ControlPlane;

  beforeAll(async () => {
    cluster = await startControlPlane();
  });

  afterAll(() => cluster?.stop());

  function replay(regression: RegressionCase, variant: 'bug' | 'fixed', faults: readonly SimulationFault[]) {
    const plans: readonly SimulationPlan[] = [{ seed: 1, faults }];
    return simulateCase(regression, regression[variant], { plans, cluster: cluster.kubeconfigPath });
  }

  it.each(SAMPLES)('should find by the fault %s what they find in the process', async (_kind, regression) => {
    const { findings } = await replay(regression, 'bug', regression.faults);
    expect(findings.map(({ check }) => check)).toEqual([regression.check]);
  });

  it.each(SAMPLES)('should find nothing by the fault %s in an operator without the bug', async (_kind, regression) => {
    expect(await replay(regression, 'fixed', regression.faults)).toHaveNoFindings();
  });

  it.each(OTHERS)('should have faults of the kind $kind, too', async (fault) => {
    const regression = REGRESSION_CASES.find(({ name }) => name.startsWith('a change that is recorded'))!;
    const report = await replay(regression, 'fixed', [fault]);
    expect(report).toHaveNoFindings();
    expect(report.coverage.faults).toEqual({ [fault.kind]: 1 });
  });

  it('should report a fault that has not happened', async () => {
    const [, regression] = SAMPLES[0];
    const report = await replay(regression, 'fixed', [{ kind: 'crash', afterWrite: 100 }]);
    expect(report.findings.map(({ message }) => message)).toEqual([
      'the plan is out of date, as a fault of it has not happened: the operator crashes after its write 100',
    ]);
  });

  it('should leave no objects behind but CRDs', async () => {
    const user = administrator(cluster);
    try {
      const { items } = (await user.get('/apis/regressions.dev/v1/databases')) as unknown as { items: object[] };
      const { items: secrets } = (await user.get('/api/v1/namespaces/default/secrets')) as unknown as {
        items: object[];
      };
      expect([...items, ...secrets]).toEqual([]);
    } finally {
      await user.close();
    }
  });
});
