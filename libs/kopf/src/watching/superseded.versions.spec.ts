import type { KubeObject } from '../objects/kube-object.js';
import { SupersededVersions } from './superseded.versions.js';

/** A state of an object of the name. */
function state(name: string, resourceVersion?: string): KubeObject {
  return { metadata: { name, uid: name, resourceVersion } };
}

describe('SupersededVersions', () => {
  it('should cover the events of an object up to its version, and no others', () => {
    const versions = new SupersededVersions();
    versions.add(state('a', '3'), '10');
    expect([state('a', '9'), state('a', '10'), state('a', '11')].map((each) => versions.covers(each))).toEqual([
      true,
      true,
      false,
    ]);
    expect(versions.covers(state('b', '5'))).toBe(false);
  });

  it('should forget versions when the watch has come as far', () => {
    const versions = new SupersededVersions();
    for (let index = 1; index <= 5; index++) versions.add(state(`object-${index}`), `${index * 10}`);
    versions.covers(state('other', '5'));
    expect(versions.size).toBe(5);
    versions.covers(state('other', '30'));
    expect(versions.size).toBe(2);
    versions.covers(state('other', '100'));
    expect(versions.size).toBe(0);
  });

  it.each([
    ['opaque', 'opaque'],
    ['10', 'opaque'],
    ['10', undefined],
    ['opaque', '9'],
    [undefined, '9'],
  ])('should cover nothing if the versions cannot be compared: %s and %s', (version, other) => {
    const versions = new SupersededVersions();
    versions.add(state('a'), version);
    expect(versions.covers(state('a', other))).toBe(false);
  });
});
