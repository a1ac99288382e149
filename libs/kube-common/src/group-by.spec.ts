import { groupBy } from './group-by.js';

describe('groupBy', () => {
  it('should keep the order of the items and of the groups', () => {
    expect([...groupBy([3, 1, 4, 2, 5], (item) => item % 2)]).toEqual([
      [1, [3, 1, 5]],
      [0, [4, 2]],
    ]);
  });
});
