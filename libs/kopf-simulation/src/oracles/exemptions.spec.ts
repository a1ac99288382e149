import type { KubeObject } from 'nestjs-kopf';
import type { TracedChange } from '../run/run.record.js';
import type { RejectedPatchFault } from '../simulation.plan.js';
import { exemptPlaces, Exemptions } from './exemptions.js';

const ENDLESS: RejectedPatchFault = {
  kind: 'rejected-patch',
  resource: 'pods',
  namespace: 'default',
  name: 'a',
  part: 'status',
  by: 'policy',
  forever: true,
};

function pod(name: string): KubeObject {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'default' } };
}

const CHANGES = ['a', 'b'].map((name) => ({ resource: 'pods', object: `Pod default/${name}`, after: pod(name) }));

function exempt(fault: Partial<RejectedPatchFault>, places: readonly string[], isHeld = false): readonly string[] {
  const changes = CHANGES as unknown as readonly TracedChange[];
  return places.filter(exemptPlaces({ unstorable: [{ ...ENDLESS, ...fault }], isHeld, changes }));
}

describe('exemptPlaces', () => {
  const places = [
    'Pod default/a',
    'Pod default/a .status.phase',
    'Pod default/a .metadata.annotations.x',
    'Pod default/a .spec.node',
    'Pod default/b .status.phase',
    'Secret default/a-part',
  ];

  it('should be the part that is never stored, and the progress that stays with a status', () => {
    expect(exempt({}, places)).toEqual([places[1], places[2]]);
    expect(exempt({ part: 'annotations' }, places)).toEqual([places[2]]);
  });

  it.each([
    [{ part: 'object' }, false],
    [{ part: 'finalizers' }, false],
    [{}, true],
  ] as const)(
    'should be all but other objects of the resource where one can be neither handled nor released: %j, %j',
    (fault, isHeld) => {
      expect(exempt(fault, places, isHeld)).toEqual(places.filter((place) => !place.startsWith('Pod default/b')));
    },
  );

  it('should be none where everything is stored', () => {
    const changes = CHANGES as unknown as readonly TracedChange[];
    expect(places.filter(exemptPlaces({ unstorable: [], isHeld: false, changes }))).toEqual([]);
  });
});

describe('Exemptions', () => {
  const served = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true };
  const exemptionsOf = (fault: Partial<RejectedPatchFault>) =>
    new Exemptions([{ ...ENDLESS, ...fault }], { resourceOf: () => served });

  it('should have an object stay only if its finalizers cannot be taken off', () => {
    const parts = ['status', 'annotations', 'object', 'finalizers'] as const;
    expect(parts.filter((part) => exemptionsOf({ part }).fromRelease(pod('a')))).toEqual(['object', 'finalizers']);
    expect(exemptionsOf({ part: 'object' }).fromRelease(pod('b'))).toBe(false);
  });

  it('should let the state of an object be wrong, and not that of others', () => {
    expect(exemptionsOf({}).fromState(pod('a'))).toBe(true);
    expect(exemptionsOf({}).fromState(pod('b'))).toBe(false);
    expect(exemptionsOf({ name: undefined }).fromState(pod('b'))).toBe(true);
  });
});
