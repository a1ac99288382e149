import { addTimes, joinEvents, type TimedEvent } from './recent.events.js';

const event = (number: number): TimedEvent => {
  return { number, time: number, type: 'note', actor: { kind: 'user', name: 'user' }, text: `${number}` };
};

describe('the recent events', () => {
  it('should be each event once, the newest ones of too many', () => {
    const known = [event(1), event(2)];
    expect(joinEvents(known, [event(2), event(3), event(4)], 3).map(({ number }) => number)).toEqual([2, 3, 4]);
    expect(joinEvents(known, [event(1)], 3)).toBe(known);
  });

  it('should have times if the log says when it began', () => {
    expect(addTimes([event(2)], 1000)[0].at).toBe(3000);
    expect(addTimes([event(2)], undefined)[0].at).toBeUndefined();
  });
});
