import type {
  PatchPart,
  PatchRejection,
  SimulatedUser,
  SimulationFault,
  SimulationOptions,
  SimulationReport,
} from 'nestjs-kopf-simulation';
import { kopfMatchers } from 'nestjs-kopf/testing';
import { KubeApi } from '../../libs/kopf/src/client/api/api.client.js';
import { PatchingClient } from '../../libs/kopf/src/client/api/patching.client.js';
import type { PatchRequest, PatchResult } from '../../libs/kopf/src/client/api/patch.request.js';
import type { KopfLogger } from '../../libs/kopf/src/common/kopf.logger.js';
import { KOPF_LOGGER } from '../../libs/kopf/src/kopf.tokens.js';
import { KopfSettings } from '../../libs/kopf/src/settings/kopf.settings.js';
import { byForm } from '../support/runner/test.form.js';
import { AgeingOperator, disk, DISKS, DiskOperator, ForgetfulOperator, simulateDisks } from './repair.world.js';

expect.extend(kopfMatchers);

const PARTS: readonly PatchPart[] = ['status', 'object', 'annotations', 'finalizers'];
const REJECTIONS: readonly PatchRejection[] = [
  403,
  404,
  409,
  413,
  422,
  429,
  500,
  503,
  'schema',
  'etcd',
  'policy',
  'webhook',
];
/** The responses that reject a part: all of them, or a third, which is another one for each part, so that each response is tried. */
function rejectionsOf(part: PatchPart, mode: 'merge' | 'apply'): readonly PatchRejection[] {
  const first = PARTS.indexOf(part) + (mode === 'apply' ? 1 : 0);
  return byForm({ short: REJECTIONS.filter((_, index) => (index + first) % 3 === 0), long: REJECTIONS });
}

/** Of the disk that goes in the end. */
const OF_FIRST = { kind: 'rejected-patch', resource: DISKS, namespace: 'default', name: 'a' } as const;
/** Of the disk that stays. */
const OF_SECOND = { ...OF_FIRST, name: 'b' } as const;

/** Replaces the client of patches by one that tells the framework that they are stored, whatever the API server says. */
const storeNothingRejected: NonNullable<SimulationOptions['override']> = (builder) =>
  builder.overrideProvider(PatchingClient).useFactory({
    factory: (api: KubeApi, logger: KopfLogger, settings: KopfSettings) => {
      const client = new PatchingClient(api, logger, settings);
      const applyPatch = async (request: PatchRequest): Promise<PatchResult> => {
        const result = await client.applyPatch(request);
        return result.outcome === 'gone' ? result : { outcome: 'stored', body: result.body };
      };
      return { applyPatch };
    },
    inject: [KubeApi, KOPF_LOGGER as never, KopfSettings],
  });

/** Two replicas under a Lease. */
const LEASED = {
  kopf: { coordination: 'lease', lease: { name: 'disks', namespace: 'default' } },
  replicas: 2,
} as const;

describe('Parts of patches that are rejected', { timeout: 300_000 }, () => {
  describe.each(['merge', 'apply'] as const)('with patches by %s', (mode) => {
    const kopf = { patching: { mode } };

    it.each(PARTS)('should change nothing in the end if it is the %s for a while', async (part) => {
      // Once, several times, and for some time, of one object, and of all: each part in another way by the same response.
      const faults = rejectionsOf(part, mode).map((by, index): SimulationFault => {
        const turn = (index + PARTS.indexOf(part) + (mode === 'apply' ? 1 : 0)) % 3;
        if (turn === 2) return { kind: 'rejected-patch', resource: DISKS, part, by, seconds: 20 };
        return { ...OF_SECOND, part, by, ...(turn === 1 && { times: 3 }) };
      });
      const report = await simulateDisks(DiskOperator, faults, { kopf });
      expect(report).toHaveNoFindings();
      expect(report.coverage.faults).toEqual({ 'rejected-patch': faults.length });
    });

    it.each(PARTS)(
      'should hold neither other parts, nor other objects, if it is the %s until the end of the run',
      async (part) => {
        const faults = rejectionsOf(part, mode).map((by, index): SimulationFault => {
          const later = part === 'finalizers' ? OF_FIRST : OF_SECOND;
          const isLater = (index + (mode === 'apply' ? 1 : 0)) % 2 === 0;
          return { ...(isLater ? { ...later, fromPatch: 2 } : OF_FIRST), part, by, forever: true };
        });
        const report = await simulateDisks(DiskOperator, faults, { kopf });
        expect(report).toHaveNoFindings();
        expect(report.coverage.faults).toEqual({ 'rejected-patch': faults.length });
      },
    );
  });
});

describe('Faults that an operator has to repair what it keeps after', { timeout: 300_000 }, () => {
  const described = ({ findings }: SimulationReport) => findings.map(({ check, message }) => `${check}: ${message}`);

  it('should find an operator that makes a second part when what it returns is rejected', async () => {
    const fault: SimulationFault = { ...OF_SECOND, part: 'status', by: 'schema' };
    const workload = async (kube: SimulatedUser): Promise<void> => void (await kube.apply(disk('b')));
    expect(await simulateDisks(ForgetfulOperator, [], { workload })).toHaveNoFindings();
    const report = await simulateDisks(ForgetfulOperator, [{ ...fault, times: 4 }], { workload });
    expect(described(report)).toEqual([
      expect.stringMatching(/^surplus: Secret default\/b-\* is created .*, and once/),
    ]);
    expect(report.findings[0].plan.faults).toMatchObject([fault]);
  });

  // What is not on the object is still in the memory of the process: it shows nothing that its annotations are not stored.
  const shown = PARTS.filter((part) => part !== 'annotations');
  it.each(shown)('should find a framework that takes the %s for stored though it was rejected', async (part) => {
    const fault: SimulationFault = { ...OF_SECOND, part, by: 'schema' };
    const report = await simulateDisks(DiskOperator, [fault], { override: storeNothingRejected });
    expect(report.findings.map(({ plan }) => plan.faults)).toEqual([[fault]]);
    expect(await simulateDisks(DiskOperator, [], { override: storeNothingRejected })).toHaveNoFindings();
  });

  it('should find a Lease that does not outlast a burst of 401', async () => {
    const short = { ...LEASED.kopf.lease, leaseDuration: 3, renewDeadline: 2, retryPeriod: 1 };
    const options = { ...LEASED, kopf: { ...LEASED.kopf, lease: short } };
    const burst: SimulationFault = { kind: 'unauthorized', afterChange: 12, seconds: 5 };
    expect(await simulateDisks(DiskOperator, [], options)).toHaveNoFindings();
    expect(described(await simulateDisks(DiskOperator, [burst], options))[0]).toMatch(
      /^leadership: operator-\d has lost its leadership by a short burst of 401$/,
    );
  });

  it('should find an operator that compares its own clock with that of the API server', async () => {
    expect(await simulateDisks(AgeingOperator, [])).toHaveNoFindings();
    const ahead: SimulationFault = { kind: 'clock-skew', seconds: 7200, afterChange: 0 };
    const behind: SimulationFault = { ...ahead, seconds: -7200 };
    const workload = async (kube: SimulatedUser): Promise<void> => void (await kube.apply(disk('b')));
    const report = await simulateDisks(AgeingOperator, [behind, ahead], { workload });
    expect(described(report)).toEqual([
      'final-state: the end differs from that without faults: Secret default/b-part is missing',
    ]);
    expect(report.findings[0].plan.faults).toEqual([ahead]);
  });

  it('should name those that have matched nothing', async () => {
    const report = await simulateDisks(DiskOperator, [
      { ...OF_FIRST, name: 'nobody', part: 'status', by: 500 },
      { kind: 'unauthorized', afterChange: 2, resource: 'pods' },
      { kind: 'clock-skew', seconds: 60, afterChange: 1000 },
      { ...OF_FIRST, part: 'status', by: 500 },
    ]);
    expect(report.coverage.unmet).toEqual([
      'the API server rejects patches of the status of disks.example.com default/nobody by 500, once',
      'the requests for pods are answered by 401 after change 2, though the credentials are valid, for 3 s',
      "the operator's clock is 60 s ahead after change 1000",
    ]);
    expect(String(report)).toContain('matched nothing: the API server rejects patches of the status of disks');
  });

  it('should be replayed from a seed, and drawn in random plans', async () => {
    const options = { plans: { random: 40, seed: 3 }, limit: 40, shrinking: 0, stopAfter: 1000 } as const;
    const [first, second] = [
      await simulateDisks(DiskOperator, [], options),
      await simulateDisks(DiskOperator, [], options),
    ];
    expect(first.coverage.faults).toMatchObject({
      'rejected-patch': expect.any(Number),
      unauthorized: expect.any(Number),
      'clock-skew': expect.any(Number),
    });
    expect(second.digest).toBe(first.digest);
  });
});

describe('Bursts of 401', { timeout: 300_000 }, () => {
  /** The changes after which bursts begin: each leads to one plan. */
  const points = [2, 5, 8, 11, 14, 17, 20];

  it('should lose nothing, whichever requests they are of', async () => {
    const faults = points.flatMap((afterChange): SimulationFault[] => [
      { kind: 'unauthorized', afterChange },
      { kind: 'unauthorized', afterChange, times: 1 },
      { kind: 'unauthorized', afterChange, resource: DISKS, seconds: 30 },
    ]);
    expect(await simulateDisks(DiskOperator, faults)).toHaveNoFindings();
  });

  it('should not take the Lease from its holder', async () => {
    const faults = points.flatMap((afterChange): SimulationFault[] => [
      { kind: 'unauthorized', afterChange, seconds: 5 },
      { kind: 'unauthorized', afterChange, times: 1 },
      { kind: 'unauthorized', afterChange, resource: 'leases.coordination.k8s.io', times: 2 },
    ]);
    expect(await simulateDisks(DiskOperator, faults, LEASED)).toHaveNoFindings();
  });
});

describe('Clocks that are wrong by hours', { timeout: 300_000 }, () => {
  const skews = (replica?: number) =>
    [-7200, 7200].flatMap((seconds): SimulationFault[] => {
      const skew = { kind: 'clock-skew', seconds, ...(replica !== undefined && { replica }) } as const;
      const steps = [3, 5, 8, 14];
      return [
        { ...skew, afterChange: 0 },
        ...steps.map((afterChange) => ({ ...skew, afterChange })),
        ...steps.map((untilChange) => ({ ...skew, afterChange: 0, untilChange })),
      ];
    });

  it('should neither delay handlers nor call them too early', async () => {
    const report = await simulateDisks(DiskOperator, skews());
    expect(report).toHaveNoFindings();
    expect(report.coverage.faults).toEqual({ 'clock-skew': 18 });
  });

  it('should let one replica work at a time under a Lease', async () => {
    expect(await simulateDisks(DiskOperator, [...skews(1), ...skews(2)], LEASED)).toHaveNoFindings();
  });
});
