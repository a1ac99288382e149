import type { KubeObject } from 'nestjs-kopf';
import { ConcurrentEdits } from '../faults/concurrent.edits.js';
import { isLate } from './late.objects.js';
import { WorldObjects } from './world.objects.js';
import type { WorldChange } from './world.server.js';

const OWNER: KubeObject = { kind: 'Claim', metadata: { name: 'a', namespace: 'ns', uid: '1' } };
const LEAVING: KubeObject = { ...OWNER, metadata: { ...OWNER.metadata, deletionTimestamp: '2022-02-01T00:00:00Z' } };
const CHILD: KubeObject = {
  kind: 'ConfigMap',
  metadata: {
    name: 'a-map',
    namespace: 'ns',
    ownerReferences: [{ apiVersion: 'v1', kind: 'Claim', name: 'a', uid: '1' }],
  },
};

const NOTHING_AT_WORK = { handling: { isAtWorkFor: () => false } };

/** @param operations the kinds and names of what the user edits before the operator is at rest */
function isChildLate(owner: KubeObject | undefined, interventions: number, ...operations: readonly string[]): boolean {
  const objects = new WorldObjects({} as never);
  if (owner) objects.apply({ type: 'ADDED', resource: 'claims', object: owner } as WorldChange);
  const edits = new ConcurrentEdits();
  for (const operation of operations) {
    const [kind, name] = operation.split(' ');
    if (operation === 'rest') edits.onRest();
    else edits.begin({ kind, metadata: { name, namespace: 'ns' } });
  }
  const made = Array.from({ length: interventions }) as never;
  return isLate(CHILD, { objects, edits, interventions: { made }, oracles: NOTHING_AT_WORK });
}

describe('An object that comes late', () => {
  it('should be made for an owner that goes while the user edits it concurrently', () => {
    expect(isChildLate(LEAVING, 0, 'Claim a', 'Claim a')).toBe(true);
    expect(isChildLate(undefined, 0, 'Claim a', 'Claim a')).toBe(true);
  });

  it('should not be one whose owner stays, or that the user waits for, or that edits another object concurrently', () => {
    expect(isChildLate(OWNER, 0, 'Claim a', 'Claim a')).toBe(false);
    expect(isChildLate(LEAVING, 0, 'Claim a', 'rest', 'Claim a')).toBe(false);
    expect(isChildLate(LEAVING, 0, 'Claim a', 'Claim a', 'rest')).toBe(false);
    expect(isChildLate(LEAVING, 0, 'Claim b', 'Claim b', 'Other a', 'Other a')).toBe(false);
    expect(isChildLate(undefined, 0, 'Claim a')).toBe(false);
  });

  it('should be made for an owner that has gone, if another client has deleted something', () => {
    expect(isChildLate(undefined, 1)).toBe(true);
    expect(isChildLate(LEAVING, 1)).toBe(false);
  });

  it('should be made for an owner that goes while a handler is at work that was not shown this', () => {
    const objects = new WorldObjects({} as never);
    const sources = { objects, edits: new ConcurrentEdits(), interventions: { made: [] } };
    const isAtWorkFor = (uid: string) => uid === '1';
    const apply = (object: KubeObject) => objects.apply({ type: 'ADDED', resource: 'claims', object } as WorldChange);
    apply(OWNER);
    expect(isLate(CHILD, { ...sources, oracles: { handling: { isAtWorkFor } } })).toBe(false);
    apply(LEAVING);
    expect(isLate(CHILD, { ...sources, oracles: { handling: { isAtWorkFor } } })).toBe(true);
    expect(isLate(CHILD, { ...sources, oracles: NOTHING_AT_WORK })).toBe(false);
  });

  it('should be a child of what is late', () => {
    const objects = new WorldObjects({} as never);
    const add = (object: KubeObject) => objects.apply({ type: 'ADDED', resource: 'any', object } as WorldChange);
    const edits = new ConcurrentEdits();
    for (let time = 0; time < 2; time++) edits.begin({ kind: 'Claim', metadata: { name: 'a', namespace: 'ns' } });
    const child = { ...CHILD, metadata: { ...CHILD.metadata, uid: '2' } };
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'a-map', uid: '2' }];
    const grandchild: KubeObject = { kind: 'Secret', metadata: { name: 'a-secret', namespace: 'ns', ownerReferences } };
    const sources = { objects, edits, interventions: { made: [] }, oracles: NOTHING_AT_WORK };
    add(OWNER);
    add(child);
    expect(isLate(grandchild, sources)).toBe(false);
    add(LEAVING);
    expect(isLate(grandchild, sources)).toBe(true);
    edits.onRest();
    expect(isLate(grandchild, sources)).toBe(false);
  });

  it('should be in a namespace that is late', () => {
    const objects = new WorldObjects({} as never);
    const edits = new ConcurrentEdits();
    for (let time = 0; time < 2; time++) edits.begin({ kind: 'Claim', metadata: { name: 'a' } });
    const { ownerReferences } = CHILD.metadata;
    const object: KubeObject = { kind: 'Namespace', metadata: { name: 'of-a', uid: '3', ownerReferences } };
    objects.apply({ type: 'ADDED', resource: 'namespaces', object } as WorldChange);
    const account: KubeObject = { kind: 'ServiceAccount', metadata: { name: 'default', namespace: 'of-a' } };
    const sources = { objects, edits, interventions: { made: [] }, oracles: NOTHING_AT_WORK };
    expect(isLate(object, sources)).toBe(true);
    expect(isLate(account, sources)).toBe(true);
    expect(isLate({ ...account, metadata: { name: 'default', namespace: 'other' } }, sources)).toBe(false);
  });

  it('should be made for an owner of which the operator does not see at rest what the user does', () => {
    const edits = new ConcurrentEdits();
    const claim = { kind: 'Claim', metadata: { name: 'a', namespace: 'ns' } };
    edits.begin(claim);
    edits.onRest(({ kind }) => kind === 'Claim');
    edits.begin(claim);
    expect(edits.hasOwnerOf(CHILD)).toBe(true);
    edits.onRest(({ kind }) => kind === 'Other');
    expect(edits.hasOwnerOf(CHILD)).toBe(false);
  });

  it('should have an owner', () => {
    const objects = new WorldObjects({} as never);
    const interventions = { made: [{}] as never };
    const child: KubeObject = { kind: 'ConfigMap', metadata: { name: 'a' } };
    expect(isLate(child, { objects, edits: new ConcurrentEdits(), interventions, oracles: NOTHING_AT_WORK })).toBe(
      false,
    );
  });
});
