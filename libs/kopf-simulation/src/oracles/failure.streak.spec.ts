import { FailureStreak } from './failure.streak.js';

/** Records a failure, or a success, in each minute. */
function note(streak: FailureStreak, failures: readonly (string | undefined)[], from = 0): number {
  failures.forEach((failure, index) => streak.note((from + index) * 60_000, failure));
  return (from + failures.length - 1) * 60_000;
}

const SAME = Array.from({ length: 11 }, () => 'create of a: no such disk');

describe('FailureStreak', () => {
  it('should find that handlers fail in the same ways for ten minutes', () => {
    const streak = new FailureStreak();
    expect(streak.isEndless(note(streak, SAME.slice(1)), 0)).toBe(false);
    expect(streak.isEndless(note(streak, SAME.slice(0, 1), 10), 0)).toBe(true);
    const others = new FailureStreak();
    const alternating = [...SAME, ...SAME].map((failure, index) => (index % 2 ? 'create of b: no such disk' : failure));
    expect(others.isEndless(note(others, alternating), 0)).toBe(true);
  });

  it.each([
    ['a success', undefined],
    ['another failure', 'create of a: no such node'],
  ])('should start again with %s', (_, other) => {
    const streak = new FailureStreak();
    expect(streak.isEndless(note(streak, [...SAME, other, ...SAME.slice(2)]), 0)).toBe(false);
  });

  it('should find that a handler asks for a later call a hundred times, for the same reason', () => {
    const streak = new FailureStreak();
    const wait = (from: number, to: number): number => {
      for (let time = from; time < to; time++) streak.note(time * 1000, 'create of a: no disk yet', true);
      return (to - 1) * 1000;
    };
    expect(streak.isEndless(wait(0, 99), 0)).toBe(false);
    expect(streak.isEndless(wait(99, 100), 0)).toBe(true);
  });

  it('should wait for enough attempts, and for enough time since something else has happened', () => {
    const seldom = new FailureStreak();
    for (let hour = 0; hour < 9; hour++) seldom.note(hour * 3_600_000, 'create of a: no such disk');
    expect(seldom.isEndless(8 * 3_600_000, 0)).toBe(false);
    const streak = new FailureStreak();
    expect(streak.isEndless(note(streak, SAME), 1)).toBe(false);
  });
});
