import type { WorldChange } from '../run/world.server.js';
import { ObjectCounts } from './object.counts.js';

/** Counts so many creations of a ConfigMap, the first of which come too late for their owners. */
function countsOf(creations: number, late = 0): ObjectCounts {
  const counts = new ObjectCounts();
  for (let count = 0; count < creations; count++) {
    const metadata = { name: 'a', namespace: 'default', uid: String(count) };
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata };
    counts.add({ type: 'ADDED', resource: 'configmaps', object } as unknown as WorldChange, () => count < late);
  }
  return counts;
}

describe('ObjectCounts', () => {
  it.each([
    [1, [0], 'ConfigMap default/a is created once, and never without faults'],
    [2, [1, 0], 'ConfigMap default/a is created twice, and once without faults'],
    [4, [3], 'ConfigMap default/a is created 4 times, and 3 times without faults'],
  ])('should find that %d creations are more than those of the right runs, %j', (count, right, message) => {
    expect(countsOf(count).exceeding(right.map(countsOf), () => false)).toEqual([{ check: 'surplus', message }]);
  });

  it('should let there be fewer, or as many as in one of the right runs, or what is masked', () => {
    expect(countsOf(1).exceeding([countsOf(0), countsOf(2)], () => false)).toEqual([]);
    expect(countsOf(2).exceeding([countsOf(1)], (key) => key === 'ConfigMap default/a is created')).toEqual([]);
  });

  it('should let there be one more for each intervention, also of what the right runs do not have', () => {
    expect(countsOf(2).exceeding([countsOf(0)], () => false, 2)).toEqual([]);
    expect(countsOf(3).exceeding([countsOf(0)], () => false, 2)).toHaveLength(1);
  });

  it('should not count what comes too late', () => {
    expect(countsOf(2, 1).exceeding([countsOf(1)], () => false)).toEqual([]);
    expect(countsOf(3, 1).exceeding([countsOf(1)], () => false)).toHaveLength(1);
    expect(countsOf(4, 1).exceeding([countsOf(1)], () => false, 1)).toHaveLength(1);
  });
});
