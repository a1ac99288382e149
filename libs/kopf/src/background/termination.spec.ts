import { stageOf } from './termination.js';

describe('stageOf', () => {
  it.each([
    [0, undefined, 0, { stage: 'cancelled' }],
    [0, undefined, 1e9, { stage: 'cancelled' }],
    [5, undefined, 2, { stage: 'signalled', left: 3 }],
    [5, undefined, 5, { stage: 'cancelled' }],
    [5, 7, 6, { stage: 'cancelled', left: 6 }],
    [5, 7, 12, { stage: 'abandoned' }],
    [0, 0, 0, { stage: 'abandoned' }],
  ])('should be right with the backoff %s, the timeout %s, after %s seconds', (backoff, timeout, age, expected) => {
    expect(stageOf({ backoff, timeout }, age)).toEqual(expected);
  });
});
