import { EventHistory } from './event.history.js';
import type { StorageEvent } from './stored.object.js';

const event = (revision: number): StorageEvent => ({ revision }) as StorageEvent;
const filled = (capacity: number, ...revisions: number[]): EventHistory => {
  const history = new EventHistory(capacity, 1);
  for (const revision of revisions) history.push(event(revision));
  return history;
};
const revisions = (events: readonly StorageEvent[]): number[] => events.map(({ revision }) => revision);

describe('EventHistory', () => {
  it.each([
    [1, [3, 5, 9]],
    [3, [5, 9]],
    [4, [5, 9]],
    [9, []],
    [99, []],
  ])('should tell what changed after revision %i', (since, expected) => {
    expect(revisions(filled(10, 3, 5, 9).since(since))).toEqual(expected);
  });

  it('should keep only its capacity and know what it lost', () => {
    const history = filled(3, ...Array.from({ length: 1000 }, (_, index) => index + 2));
    expect(history.size).toBe(3);
    expect(history.compacted).toBe(998);
    expect(history.covers(998)).toBe(true);
    expect(history.covers(997)).toBe(false);
    expect(revisions(history.since(998))).toEqual([999, 1000, 1001]);
  });

  it('should cover everything since its beginning while nothing is lost', () => {
    expect(filled(3).covers(1)).toBe(true);
    expect(filled(3).covers(0)).toBe(false);
  });

  it('should forget up to a revision', () => {
    const history = filled(10, 3, 5, 9);
    history.expire(5);
    expect(history.covers(4)).toBe(false);
    expect(revisions(history.since(5))).toEqual([9]);
    history.expire(50);
    expect(history.compacted).toBe(50);
  });
});
