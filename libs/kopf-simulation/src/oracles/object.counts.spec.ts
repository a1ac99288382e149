import type { WorldChange } from '../world/world.server.js';
import { ObjectCounts } from './object.counts.js';

/** Counts a number of creations of a ConfigMap. The first of them come too late for their owners. */
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

  it('should count only what is there too often of what was made before the user deleted its owner by a concurrent edit', () => {
    const owner = { kind: 'Claim', metadata: { name: 'claim', namespace: 'default', uid: 'o' } };
    const concurrentCounts = (creations: number, deleted = owner): ObjectCounts => {
      const counts = new ObjectCounts();
      const add = (type: string, kind: string, uid: string, owners: readonly string[]): void => {
        const ownerReferences = owners.map((each) => ({ apiVersion: 'v1', kind: 'Any', name: 'a', uid: each }));
        const metadata = { name: 'a', namespace: 'default', uid, ownerReferences };
        counts.add({ type, resource: 'any', object: { kind, metadata } } as unknown as WorldChange);
      };
      add('ADDED', 'Secret', 'before', ['o']);
      counts.onRest();
      for (let count = 0; count < creations; count++) {
        add('ADDED', 'ConfigMap', `c${count}`, ['o']);
        if (count < creations - 1) add('DELETED', 'ConfigMap', `c${count}`, ['o']);
      }
      add('ADDED', 'Pod', 'p', [`c${creations - 1}`]);
      counts.onConcurrentDeletion(deleted as never);
      add('DELETED', 'ConfigMap', `c${creations - 1}`, ['o']);
      add('DELETED', 'Pod', 'p', ['c']);
      return counts;
    };
    const right = [countsOf(0)];
    const found = (counts: ObjectCounts): readonly string[] =>
      counts.exceeding(right, () => false).map(({ message }) => message);
    expect(found(concurrentCounts(1))).toEqual(['Secret default/a is created once, and never without faults']);
    expect(found(concurrentCounts(2))).toContain('ConfigMap default/a is created once, and never without faults');
    expect(
      found(concurrentCounts(1, { kind: 'Claim', metadata: { name: 'b', namespace: 'default', uid: 'b' } })),
    ).toHaveLength(5);
    expect(
      found(concurrentCounts(1, { kind: 'Namespace', metadata: { name: 'default', namespace: '', uid: 'n' } })),
    ).toHaveLength(1);
  });

  it('should not count what is in a namespace that was made before the user deleted its owner by a concurrent edit', () => {
    const counts = new ObjectCounts();
    const add = (kind: string, metadata: object): void =>
      counts.add({ type: 'ADDED', resource: 'any', object: { kind, metadata } } as unknown as WorldChange);
    const ownerReferences = [{ apiVersion: 'v1', kind: 'Tenant', name: 'a', uid: 'o' }];
    add('Namespace', { name: 'of-a', uid: '1', ownerReferences });
    add('ServiceAccount', { name: 'default', namespace: 'of-a', uid: '2' });
    add('ServiceAccount', { name: 'default', namespace: 'other', uid: '3' });
    counts.onConcurrentDeletion({ kind: 'Tenant', metadata: { name: 'a', uid: 'o' } });
    expect(counts.exceeding([countsOf(0)], () => false).map(({ message }) => message)).toEqual([
      'ServiceAccount other/default is created once, and never without faults',
    ]);
  });

  it('should not count what the user creates, or deletes', () => {
    const counts = new ObjectCounts();
    const object = { kind: 'Claim', metadata: { name: 'a', namespace: 'default', uid: '1' } };
    const leaving = { ...object, metadata: { ...object.metadata, deletionTimestamp: '2022-02-01T00:00:00Z' } };
    const add = (type: string, userAgent: string, changed: object): void =>
      counts.add({ type, resource: 'claims', object: changed, previous: object, userAgent } as unknown as WorldChange);
    add('ADDED', 'user', object);
    add('MODIFIED', 'user', leaving);
    add('DELETED', 'operator-1', leaving);
    expect(counts.exceeding([countsOf(0)], () => false)).toEqual([]);
    const other = { ...leaving, metadata: { ...leaving.metadata, uid: '2' } };
    add('ADDED', 'user', { ...object, metadata: { ...object.metadata, uid: '2' } });
    add('MODIFIED', 'operator-1', other);
    add('DELETED', 'user', { ...other, metadata: { ...other.metadata, uid: '3' } });
    add('DELETED', 'operator-1', other);
    expect(counts.exceeding([countsOf(0)], () => false).map(({ message }) => message)).toEqual([
      'Claim default/a is deleted once, and never without faults',
    ]);
  });
});
