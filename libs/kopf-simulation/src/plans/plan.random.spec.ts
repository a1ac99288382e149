import type { RunRecord } from '../run/run.record.js';
import type { SimulationFault, SimulationPlan } from '../simulation.plan.js';
import { randomPlans } from './plan.random.js';

/** A run that most kinds of faults can hit. */
const CLEAN = {
  changes: [1, 2, 3].map((number) => ({ number, resource: 'configmaps', isTransient: false })),
  requests: [{}, {}],
  reads: [{}, {}],
  writes: 2,
  reviews: 0,
  watched: new Set(['configmaps']),
} as unknown as RunRecord;

/** A fault that is never drawn. */
const RARE: SimulationFault = { kind: 'crash', afterWrite: 99 };

function plansOf(kept: readonly SimulationPlan[], seed = 1): readonly SimulationPlan[] {
  return [...randomPlans(CLEAN, 300, seed, { kept })];
}

function isVariation({ faults }: SimulationPlan): boolean {
  return faults.includes(RARE);
}

describe('randomPlans', () => {
  it('should draw the same plans from a seed, and from the seeds that follow it', () => {
    expect(plansOf([])).toEqual(plansOf([]));
    expect(plansOf([], 2).slice(0, 299)).toEqual(plansOf([]).slice(1));
  });

  it('should have errors of requests that are to write, and of those for objects', () => {
    const errors = plansOf([]).flatMap(({ faults }) => faults.filter(({ kind }) => kind === 'error'));
    expect(errors.some((fault) => 'ofRead' in fault)).toBe(true);
    expect(errors.some((fault) => 'ofAttempt' in fault)).toBe(true);
  });

  it('should vary plans that were kept, with other faults and other seeds', () => {
    const kept = [{ seed: 7, faults: [RARE] }];
    const varied = plansOf(kept).filter(isVariation);
    expect(varied.length).toBeGreaterThan(20);
    expect(new Set(varied.map(({ faults }) => faults.length))).toEqual(new Set([1, 2]));
    expect(new Set(varied.map(({ seed }) => seed)).size).toBe(varied.length);
    // The other draws do not change.
    expect(plansOf(kept).filter((plan) => !isVariation(plan)).length).toBeGreaterThan(150);
  });

  it('should vary plans that are kept while plans are drawn', () => {
    const kept: SimulationPlan[] = [];
    const seen: boolean[] = [];
    for (const plan of randomPlans(CLEAN, 200, 1, { kept })) {
      seen.push(isVariation(plan));
      if (seen.length === 100) kept.push({ seed: 7, faults: [RARE] });
    }
    expect(seen.slice(0, 100)).not.toContain(true);
    expect(seen.slice(100)).toContain(true);
  });
});
