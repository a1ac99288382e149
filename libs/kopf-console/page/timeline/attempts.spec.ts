import type { TimedEvent } from '../live/recent.events.js';
import { createAxis, findAttempts } from './attempts.js';

function event(type: 'call' | 'outcome', time: number, attempt: number, outcome?: 'retried' | 'succeeded'): TimedEvent {
  const call = { id: 'create', reason: 'create', attempt, ...(outcome && { outcome }) };
  return { number: time, time, type, actor: { kind: 'operator', name: 'operator' }, text: '', call };
}

describe('the attempts of a log', () => {
  it('should be calls with their outcomes', () => {
    const [lane] = findAttempts([event('call', 1, 1), event('outcome', 2, 1, 'retried'), event('call', 60, 2)]);
    expect(lane.attempts).toEqual([
      { handler: 'create', reason: 'create', number: 1, start: 1, end: 2, outcome: 'retried' },
      { handler: 'create', reason: 'create', number: 2, start: 60 },
    ]);
  });

  it('should be the outcomes alone where the log has dropped the calls', () => {
    const [lane] = findAttempts([event('outcome', 2, 1, 'succeeded')]);
    expect(lane.attempts).toEqual([
      { handler: 'create', reason: 'create', number: 1, start: 2, end: 2, outcome: 'succeeded' },
    ]);
  });

  it('should be two where the same attempt was made twice, after a restart', () => {
    const events = [
      event('call', 1, 1),
      event('outcome', 2, 1, 'retried'),
      event('call', 3, 1),
      event('outcome', 4, 1, 'succeeded'),
    ];
    expect(findAttempts(events)[0].attempts.map(({ start, end }) => [start, end])).toEqual([
      [1, 2],
      [3, 4],
    ]);
  });
});

describe('the axis of a waterfall', () => {
  it('should keep the order, and draw long stretches shorter', () => {
    const axis = createAxis([100, 0, 1]);
    expect([axis(0), axis(100)]).toEqual([0, 1]);
    expect(axis(1)).toBeGreaterThan(0.05);
    expect(axis(1)).toBeLessThan(0.5);
    expect(axis(50)).toBeGreaterThan(axis(1));
    expect(axis(50)).toBeLessThan(1);
  });

  it('should have a place for a single time, and for times beyond', () => {
    expect(createAxis([5])(5)).toBe(0);
    const axis = createAxis([1, 2]);
    expect([axis(0), axis(3)]).toEqual([0, 1]);
  });
});
