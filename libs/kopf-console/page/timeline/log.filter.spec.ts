import type { TimedEvent } from '../live/recent.events.js';
import { filterLog, readLogFilter } from './log.filter.js';

const actor = { kind: 'operator', name: 'operator' } as const;
const web = { kind: 'Shop', namespace: 'team-a', name: 'web' };
const EVENTS: readonly TimedEvent[] = [
  {
    number: 1,
    time: 1,
    type: 'change',
    actor: { kind: 'cluster', name: 'cluster' },
    text: 'Shop was added',
    object: web,
  },
  {
    number: 2,
    time: 2,
    type: 'call',
    actor,
    text: 'create is called',
    object: web,
    call: { id: 'create', reason: 'create', attempt: 1 },
  },
  {
    number: 3,
    time: 3,
    type: 'outcome',
    actor,
    text: 'create will be retried',
    object: web,
    call: { id: 'create', reason: 'create', attempt: 1, outcome: 'retried', error: 'ECONNREFUSED' },
  },
  { number: 4, time: 4, type: 'note', actor, text: 'The watch was interrupted', isError: true },
  { number: 5, time: 5, type: 'violation', actor, text: 'ends in another state' },
];

describe('The filters of a log', () => {
  it.each([
    ['', [1, 2, 3, 4, 5]],
    ['errors=true', [3, 4, 5]],
    ['handler=create', [2, 3]],
    ['handler=create&errors=true', [3]],
    ['actor=cluster', [1]],
    ['object=Shop+team-a/web', [1, 2, 3]],
    ['text=econn', [3]],
    ['text=team-a', [1, 2, 3]],
    ['text=nothing', []],
  ])('should be read from %j', (query, numbers) => {
    const shown = filterLog(EVENTS, readLogFilter(new URLSearchParams(query)));
    expect(shown.map(({ number }) => number)).toEqual(numbers);
  });
});
