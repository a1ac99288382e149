import type { OperatorEvent } from '../../event-log/operator.event.js';
import { ObjectHistories } from './object.histories.js';

const actor = { kind: 'operator', name: 'operator' } as const;

function change(number: number): OperatorEvent {
  return { number, time: number, type: 'note', actor, text: 'changed' };
}

function tick(number: number, error?: string): OperatorEvent {
  const call = { id: 'tick', reason: 'timer', attempt: 1, ...(error !== undefined && { error }) };
  return { number, time: number, type: 'call', actor, text: 'tick is called', call };
}

describe('the history of an object', () => {
  const numbersOf = (events: readonly OperatorEvent[]): readonly number[] => {
    const histories = new ObjectHistories({ perObject: 4, objects: 10 });
    for (const event of events) histories.add('u', event);
    return histories.eventsOf('u').map(({ number }) => number);
  };

  it.each<[string, readonly OperatorEvent[], readonly number[]]>([
    ['all events while there is room', [change(1), tick(2)], [1, 2]],
    ['the newest changes', [1, 2, 3, 4, 5, 6].map(change), [3, 4, 5, 6]],
    [
      'changes rather than the calls of a timer that nothing comes of',
      [change(1), change(2), tick(3), tick(4), tick(5)],
      [1, 2, 4, 5],
    ],
    ['the calls of a timer that fail', [tick(1, 'no'), tick(2), tick(3), tick(4), tick(5)], [1, 3, 4, 5]],
    [
      'at least as many places for the calls of timers',
      [tick(1), tick(2), change(3), change(4), change(5)],
      [2, 3, 4, 5],
    ],
  ])('should keep %s', (_, events, numbers) => {
    expect(numbersOf(events)).toEqual(numbers);
  });
});
