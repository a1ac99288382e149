import type { SimulationFault, SimulationPlan } from 'nestjs-kopf/simulation';
import { kopfMatchers } from 'nestjs-kopf/testing';
import { type Exhibit, visit } from '../simulation/museum/exhibit.js';
import { EXHIBITS } from '../simulation/museum/museum.js';
import { administrator } from '../support/cluster.access.js';
import { startControlPlane, type ControlPlane } from '../support/control-plane.js';

expect.extend(kopfMatchers);

/** Takes the first exhibit that is found by each kind of fault. */
const KINDS = ['crash', 'stale', 'skip', 'lost-answer', 'recreate', 'drift'] as const;
const SAMPLES = KINDS.map((kind) => [kind, EXHIBITS.find(({ faults }) => faults[0]?.kind === kind)!] as const);

/** Faults of other kinds, which an operator without the bug survives. */
const OTHERS: readonly SimulationFault[] = [
  { kind: 'conflict', beforeAttempt: 2, stays: true },
  { kind: 'error', ofAttempt: 2, status: 500 },
  { kind: 'error', ofRead: 2, status: 429, retryAfter: 2 },
  { kind: 'outage', afterChange: 3, seconds: 5 },
  { kind: 'freeze', afterWrite: 2, seconds: 20 },
  { kind: 'leap', afterChange: 2, seconds: 3600 },
];

describe('Plans on a real control plane', () => {
  let cluster: ControlPlane;

  beforeAll(async () => {
    cluster = await startControlPlane();
  });

  afterAll(() => cluster?.stop());

  function replay(exhibit: Exhibit, twin: 'bug' | 'mended', faults: readonly SimulationFault[]) {
    const plans: readonly SimulationPlan[] = [{ seed: 1, faults }];
    return visit(exhibit, exhibit[twin], { plans, cluster: cluster.kubeconfigPath });
  }

  it.each(SAMPLES)('should find by the fault %s what they find in the process', async (_kind, exhibit) => {
    const { findings } = await replay(exhibit, 'bug', exhibit.faults);
    expect(findings.map(({ check }) => check)).toEqual([exhibit.check]);
  });

  it.each(SAMPLES)('should find nothing by the fault %s in an operator without the bug', async (_kind, exhibit) => {
    expect(await replay(exhibit, 'mended', exhibit.faults)).toHaveNoFindings();
  });

  it.each(OTHERS)('should have faults of the kind $kind, too', async (fault) => {
    const exhibit = EXHIBITS.find(({ name }) => name.startsWith('a change that is noted'))!;
    const report = await replay(exhibit, 'mended', [fault]);
    expect(report).toHaveNoFindings();
    expect(report.coverage.faults).toEqual({ [fault.kind]: 1 });
  });

  it('should say that a fault has not come to pass', async () => {
    const [, exhibit] = SAMPLES[0];
    const report = await replay(exhibit, 'mended', [{ kind: 'crash', afterWrite: 100 }]);
    expect(report.findings.map(({ message }) => message)).toEqual([
      'the plan is out of date, as a fault of it has not come to pass: the operator crashes after its write 100',
    ]);
  });

  it('should leave no objects behind but CRDs', async () => {
    const user = administrator(cluster);
    try {
      const { items } = (await user.get('/apis/museum.dev/v1/databases')) as unknown as { items: object[] };
      const { items: secrets } = (await user.get('/api/v1/namespaces/default/secrets')) as unknown as {
        items: object[];
      };
      expect([...items, ...secrets]).toEqual([]);
    } finally {
      await user.close();
    }
  });
});
