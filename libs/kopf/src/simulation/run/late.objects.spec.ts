import type { KubeObject } from '../../objects/kube-object.js';
import { Hurry } from './hurry.js';
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

/** @param operations the kinds and names of what the user does before the operator is at rest */
function isChildLate(owner: KubeObject | undefined, interventions: number, ...operations: readonly string[]): boolean {
  const objects = new WorldObjects({} as never);
  if (owner) objects.apply({ type: 'ADDED', resource: 'claims', object: owner } as WorldChange);
  const hurry = new Hurry();
  for (const operation of operations) {
    const [kind, name] = operation.split(' ');
    if (operation === 'rest') hurry.onRest();
    else hurry.begin({ kind, metadata: { name, namespace: 'ns' } });
  }
  return isLate(CHILD, { objects, hurry, interventions: { made: Array.from({ length: interventions }) as never } });
}

describe('An object that comes late', () => {
  it('should be made for an owner that goes while the user is in a hurry with it', () => {
    expect(isChildLate(LEAVING, 0, 'Claim a', 'Claim a')).toBe(true);
    expect(isChildLate(undefined, 0, 'Claim a', 'Claim a')).toBe(true);
  });

  it('should not be one whose owner stays, or that the user waits for, or is in a hurry with another object', () => {
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

  it('should have an owner', () => {
    const objects = new WorldObjects({} as never);
    const interventions = { made: [{}] as never };
    const child: KubeObject = { kind: 'ConfigMap', metadata: { name: 'a' } };
    expect(isLate(child, { objects, hurry: new Hurry(), interventions })).toBe(false);
  });
});
