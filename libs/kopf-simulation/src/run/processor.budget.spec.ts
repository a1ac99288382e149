import { ProcessorBudget } from './processor.budget.js';

/** Checks a budget after each step of processor time, often enough that it measures. */
function check(seconds: readonly number[], limit?: number): { readonly slow: number[]; readonly isExceeded: boolean } {
  let now = 100;
  const slow: number[] = [];
  const budget = new ProcessorBudget(
    limit,
    (each) => slow.push(each),
    () => now,
  );
  let isExceeded = false;
  for (const step of seconds) {
    now += step;
    for (let count = 0; count < 32; count++) isExceeded = budget.isExceeded;
  }
  return { slow, isExceeded };
}

describe('ProcessorBudget', () => {
  it('should end a plan that takes more than a minute of processor time, or another limit', () => {
    expect(check([59]).isExceeded).toBe(false);
    expect(check([59, 2]).isExceeded).toBe(true);
    expect(check([2], 1).isExceeded).toBe(true);
  });

  it('should report a plan that takes long each five seconds', () => {
    expect(check([1, 3]).slow).toEqual([]);
    expect(check([1, 3, 1, 1, 4]).slow).toEqual([5, 10]);
  });

  it('should measure the process', () => {
    const budget = new ProcessorBudget(0.01);
    while (!budget.isExceeded);
    expect(budget.message).toBe('the run takes more than 0.01 s of processor time');
  });
});
