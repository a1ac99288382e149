import { SeededRandom } from 'kube-common';
import type { FrameworkPatch } from '../faults/patch.parts.js';
import type { TracedRequest } from '../faults/fault.engine.js';
import type { RunRecord } from '../run/run.record.js';
import type { PatchPart, SimulationFault } from '../simulation.plan.js';
import { drawRepairFault, rejectionFaults, skewFaults, unauthorizedFaults } from './repair.plans.js';

function patchOf(name: string, ...parts: readonly PatchPart[]): FrameworkPatch {
  return { resource: 'pods', namespace: 'default', name, isGenerated: false, format: 'merge', parts: new Set(parts) };
}

function recordOf(patches: readonly (FrameworkPatch | undefined)[], resource = 'pods'): RunRecord {
  const requests = patches.map((patch, index) => ({ number: index + 1, resource, ...(patch && { patch }) }));
  const changes = [1, 2, 3, 4].map((number) => ({
    number,
    rests: Math.floor(number / 2),
    isOperator: number % 2 === 0,
    isTransient: false,
  }));
  return { requests: requests as unknown as readonly TracedRequest[], changes, reads: [{ resource: 'pods' }] } as never;
}

const OBJECT = { kind: 'rejected-patch', resource: 'pods', namespace: 'default', name: 'a' } as const;

describe('rejectionFaults', () => {
  it('should reject each part of each patch for a while, and one of each part until the end of the run', () => {
    const faults = [
      ...rejectionFaults(recordOf([patchOf('a', 'object'), undefined, patchOf('a', 'object', 'status')])),
    ];
    expect(faults).toEqual([
      { ...OBJECT, part: 'object', by: 403, times: 2 },
      { ...OBJECT, part: 'object', by: 'etcd', forever: true, excuses: 'eventually' },
      { ...OBJECT, part: 'object', fromPatch: 2, by: 404, times: 2 },
      { ...OBJECT, part: 'status', by: 409, times: 2 },
      { ...OBJECT, part: 'status', by: 403, forever: true, excuses: 'eventually' },
    ]);
  });

  it('should name no object whose name is another one in each run', () => {
    const patch = { ...patchOf('a-x7z', 'object'), isGenerated: true };
    expect([...rejectionFaults(recordOf([patch]))]).toEqual([
      { kind: 'rejected-patch', resource: 'pods', part: 'object', by: 403, times: 2 },
      { kind: 'rejected-patch', resource: 'pods', part: 'object', by: 'etcd', forever: true, excuses: 'eventually' },
    ]);
  });
});

describe('unauthorizedFaults', () => {
  it('should have a burst with each step of the user, and one of the requests for Leases, if there are any', () => {
    expect([...unauthorizedFaults(recordOf([undefined]))]).toEqual([
      { kind: 'unauthorized', afterChange: 1 },
      { kind: 'unauthorized', afterChange: 3 },
    ]);
    expect([...unauthorizedFaults(recordOf([undefined], 'leases.coordination.k8s.io'))]).toHaveLength(4);
  });
});

describe('skewFaults', () => {
  it('should have clocks that are ahead and behind, all the time, and until each step of the user', () => {
    const constant = { kind: 'clock-skew', afterChange: 0 } as const;
    expect([...skewFaults(recordOf([]))]).toEqual([
      { ...constant, seconds: -7200 },
      { ...constant, seconds: 7200 },
      { ...constant, seconds: -7200, untilChange: 1 },
      { ...constant, seconds: 7200, untilChange: 1 },
      { ...constant, seconds: -7200, untilChange: 3 },
      { ...constant, seconds: 7200, untilChange: 3 },
    ]);
  });
});

describe('drawRepairFault', () => {
  function drawn(record: RunRecord, replicas = 1): readonly (SimulationFault | undefined)[] {
    return Array.from({ length: 300 }, (_, seed) => drawRepairFault(new SeededRandom(seed), record, replicas));
  }

  it('should draw each kind, rejections by all statuses, for a while and until the end of the run', () => {
    const faults = drawn(recordOf([patchOf('a', 'object'), patchOf('b', 'status', 'annotations')]));
    const rejections = faults.filter((fault) => fault?.kind === 'rejected-patch');
    expect(new Set(faults.map((fault) => fault?.kind))).toEqual(
      new Set(['rejected-patch', 'unauthorized', 'clock-skew']),
    );
    expect(new Set(rejections.map(({ by }) => by)).size).toBe(12);
    expect(new Set(rejections.map(({ part }) => part))).toEqual(new Set(['object', 'status', 'annotations']));
    const endless = rejections.filter(({ forever }) => forever);
    expect(endless.length).toBeGreaterThan(20);
    expect(endless.length).toBeLessThan(rejections.length / 2);
  });

  it('should draw clocks of single replicas, if there are several', () => {
    const replicas = (count: number) =>
      new Set(drawn(recordOf([]), count).map((fault) => fault?.kind === 'clock-skew' && fault.replica));
    expect(replicas(1)).toEqual(new Set([false, undefined]));
    expect(replicas(2)).toEqual(new Set([false, 1, 2]));
  });

  it('should draw no rejection where the framework patches nothing', () => {
    expect(drawn(recordOf([undefined])).some((fault) => fault?.kind === 'rejected-patch')).toBe(false);
  });
});
