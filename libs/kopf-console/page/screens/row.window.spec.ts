import { findPages, findWindow, PAGE, ROW } from './row.window.js';

describe('the window of a list', () => {
  it('should have the rows that can be seen, and some beyond both edges', () => {
    expect(findWindow({ top: 100 * ROW, height: 20 * ROW }, 100_000)).toEqual({ start: 90, end: 130 });
    expect(findWindow({ top: 0, height: 20 * ROW }, 100_000)).toEqual({ start: 0, end: 30 });
  });

  it('should end with the list, also where the list has become shorter', () => {
    expect(findWindow({ top: 990 * ROW, height: 20 * ROW }, 1000)).toEqual({ start: 980, end: 1000 });
    expect(findWindow({ top: 990 * ROW, height: 20 * ROW }, 10)).toEqual({ start: 10, end: 10 });
  });

  it('should lie in the pages that are asked for, wherever it is', () => {
    for (let top = 0; top < 400 * ROW; top += 7) {
      const view = { top, height: 30 * ROW };
      const { first, second } = findPages(view);
      const { start, end } = findWindow(view, 100_000);
      expect(first % PAGE).toBe(0);
      expect(start).toBeGreaterThanOrEqual(first);
      expect(end).toBeLessThanOrEqual(second + PAGE);
      expect([0, PAGE]).toContain(second - first);
    }
  });
});
