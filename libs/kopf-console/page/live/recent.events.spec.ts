import { addTimes, joinEvents, joinLogs, type TimedEvent, type TimedLog } from './recent.events.js';

const event = (number: number): TimedEvent => {
  return { number, time: number, type: 'note', actor: { kind: 'user', name: 'user' }, text: `${number}` };
};

describe('the recent events', () => {
  it('should be each event once, the newest ones of too many', () => {
    const known = [event(1), event(2)];
    expect(joinEvents(known, [event(2), event(3), event(4)], 3).map(({ number }) => number)).toEqual([2, 3, 4]);
    expect(joinEvents(known, [event(1)], 3)).toBe(known);
  });

  it('should be joined from an answer and the stream, whichever comes first', () => {
    const numbersOf = ({ events }: TimedLog) => events.map(({ number }) => number);
    const recent = { beganAt: 1, events: [event(1), event(2), event(3)] };
    const streamed = { beganAt: 1, events: [event(3), event(4)] };
    expect(numbersOf(joinLogs(recent, streamed, 10))).toEqual([1, 2, 3, 4]);
    expect(numbersOf(joinLogs(streamed, recent, 10))).toEqual([1, 2, 3, 4]);
    expect(numbersOf(joinLogs(streamed, recent, 2))).toEqual([3, 4]);
    expect(joinLogs(recent, { beganAt: 1, events: [] }, 10)).toBe(recent);
  });

  it('should be those of the last log, as the numbers restart with each', () => {
    const [earlier, later] = [
      { beganAt: 1, events: [event(7)] },
      { beganAt: 2, events: [event(1)] },
    ];
    expect(joinLogs(earlier, later, 10)).toBe(later);
    expect(joinLogs(later, earlier, 10)).toBe(later);
  });

  it('should have times if the log says when it began', () => {
    expect(addTimes([event(2)], 1000)[0].at).toBe(3000);
    expect(addTimes([event(2)], undefined)[0].at).toBeUndefined();
  });
});
