import { fitLine } from './linear.fit.js';

describe('fitLine', () => {
  it('should find the line that the points are on', () => {
    const fit = fitLine([1000, 5000, 10_000].map((size) => [size, 300 + 0.5 * size] as const));
    expect(fit.constant).toBeCloseTo(300);
    expect(fit.slope).toBeCloseTo(0.5);
    expect(fit.residual).toBeCloseTo(0);
  });

  it('should report how far a point is from the line', () => {
    const { residual } = fitLine([
      [1000, 1000],
      [2000, 2000],
      [4000, 8000],
    ]);
    expect(residual).toBeGreaterThan(0.1);
  });

  it('should go through the origin with a single point', () => {
    expect(fitLine([[2000, 1000]])).toEqual({ constant: 0, slope: 0.5, residual: 0 });
  });
});
