import { SeededRandom } from './random.js';

describe('SeededRandom', () => {
  it('should repeat itself from the same seed only, within [0, 1)', () => {
    const draw = (seed: number): number[] => {
      const random = new SeededRandom(seed);
      return Array.from({ length: 1000 }, () => random.next());
    };
    expect(draw(5)).toEqual(draw(5));
    expect(draw(5)).not.toEqual(draw(6));
    const mean = draw(5).reduce((sum, value) => sum + value) / 1000;
    expect(mean).toBeGreaterThan(0.45);
    expect(mean).toBeLessThan(0.55);
    expect(draw(5).every((value) => value >= 0 && value < 1)).toBe(true);
  });
});
