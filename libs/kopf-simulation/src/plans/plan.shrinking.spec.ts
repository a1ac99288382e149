import { SeededRandom } from 'kube-common';
import type { SimulationFault, SimulationPlan } from '../simulation.plan.js';
import { shrinkPlan, type PlanTrial } from './plan.shrinking.js';

const crash = (afterWrite: number, downtime?: number): SimulationFault => ({
  kind: 'crash',
  afterWrite,
  ...(downtime !== undefined && { downtime }),
});
const missedEvents = (fromChange: number, untilChange: number): SimulationFault => ({
  kind: 'missed-events',
  resource: 'pods',
  fromChange,
  untilChange,
});

/** The number of trials, and the plans that have failed. */
function observe(trial: (plan: SimulationPlan) => boolean) {
  const failed: SimulationPlan[] = [];
  const all: string[] = [];
  const observed: PlanTrial = (plan) => {
    all.push(JSON.stringify(plan));
    const isFound = trial(plan);
    if (isFound) failed.push(plan);
    return Promise.resolve(isFound);
  };
  return { trial: observed, failed, all };
}

describe('shrinking', () => {
  it('should leave out faults, delays, and operations that are not needed', async () => {
    const { trial } = observe(
      ({ faults, without = [] }) => faults.some(({ kind }) => kind === 'crash') && !without.includes(2),
    );
    const plan = { seed: 5, delays: true, faults: [missedEvents(1, 2), crash(3), missedEvents(4, 5)] };
    expect(await shrinkPlan(plan, trial, { operations: 3 })).toEqual({ seed: 5, faults: [crash(3)], without: [1, 3] });
  });

  it('should bring counts to their defaults', async () => {
    const { trial } = observe(() => true);
    const faulty: PlanTrial = async (plan) => plan.faults.length === 2 && (await trial(plan));
    const conflict: SimulationFault = { kind: 'conflict', beforeAttempt: 2, times: 3 };
    const plan = { seed: 1, faults: [crash(1, 30), conflict] };
    expect(await shrinkPlan(plan, faulty, { operations: 0 })).toEqual({
      seed: 1,
      faults: [crash(1), { kind: 'conflict', beforeAttempt: 2 }],
    });
  });

  it('should let a rejection of patches be one, and a clock be wrong all the time', async () => {
    const rejection: SimulationFault = { kind: 'rejected-patch', resource: 'pods', part: 'status', by: 500 };
    const skew: SimulationFault = { kind: 'clock-skew', seconds: 60, afterChange: 1 };
    const { trial } = observe(({ faults }) => faults.length === 2);
    const faults: readonly SimulationFault[] = [
      { ...rejection, fromPatch: 3, format: 'json', forever: true },
      { ...skew, untilChange: 4, replica: 2 },
    ];
    const smallest = await shrinkPlan({ seed: 1, faults }, trial, { operations: 0 });
    expect(smallest.faults).toEqual([rejection, skew]);
  });

  it('should narrow the changes that are not seen', async () => {
    const { trial } = observe(
      ({ faults: [fault] }) => fault?.kind === 'missed-events' && fault.fromChange <= 7 && fault.untilChange >= 9,
    );
    const { faults } = await shrinkPlan({ seed: 1, faults: [missedEvents(1, 30)] }, trial, { operations: 0 });
    expect(faults).toEqual([missedEvents(7, 9)]);
  });

  it('should move faults along when an operation before them is left out', async () => {
    // Each operation leads to two writes; the bug is a crash after the first write of the last one.
    const writes = (without: readonly number[] = []): number => 2 * (3 - without.length);
    const { trial } = observe(
      ({ faults: [fault], without = [] }) =>
        fault?.kind === 'crash' &&
        'afterWrite' in fault &&
        !without.includes(3) &&
        fault.afterWrite === writes(without) - 1,
    );
    const measure = (without: readonly number[]) =>
      Promise.resolve({ writes: writes(without), attempts: 0, reads: 0, changes: 0, reviews: 0 });
    expect(await shrinkPlan({ seed: 1, faults: [crash(5)] }, trial, { operations: 3, measure })).toEqual({
      seed: 1,
      faults: [crash(1)],
      without: [1, 2],
    });
  });

  it('should end within its budget, and try nothing twice', async () => {
    const { trial, all } = observe(() => false);
    const plan = { seed: 1, faults: Array.from({ length: 50 }, (_, index) => crash(index + 1, 5)) };
    expect(await shrinkPlan(plan, trial, { operations: 50, budget: 30 })).toEqual(plan);
    expect(all).toHaveLength(30);
    expect(new Set(all).size).toBe(30);
  });

  it.each(Array.from({ length: 20 }, (_, seed) => [seed]))(
    'should end with a plan that shows the same, and of which nothing can be left out: seed %i',
    async (seed) => {
      const random = new SeededRandom(seed);
      const draw = (count: number): number => Math.floor(random.next() * count);
      const faults = Array.from({ length: 1 + draw(5) }, () =>
        draw(2) ? crash(1 + draw(9), draw(2) ? 30 : undefined) : missedEvents(1 + draw(5), 7 + draw(9)),
      );
      const needed = faults.filter(() => draw(2) === 0).map(({ kind }) => kind);
      const kept = [1, 2, 3, 4].filter(() => draw(2) === 0);
      const shows = ({ faults: left, without = [] }: SimulationPlan): boolean =>
        !kept.some((number) => without.includes(number)) &&
        ['crash', 'missed-events'].every(
          (kind) => countOf(left, kind) >= needed.filter((each) => each === kind).length,
        );
      const { trial, failed } = observe(shows);
      const smallest = await shrinkPlan({ seed, faults, delays: true }, trial, { operations: 4, budget: 500 });
      expect(shows(smallest)).toBe(true);
      expect(failed).toContainEqual(smallest);
      expect(smallest.faults).toHaveLength(needed.length);
      expect(smallest.without ?? []).toEqual([1, 2, 3, 4].filter((number) => !kept.includes(number)));
      expect(smallest.delays).toBeUndefined();
    },
  );
});

function countOf(faults: readonly SimulationFault[], kind: string): number {
  return faults.filter((fault) => fault.kind === kind).length;
}
