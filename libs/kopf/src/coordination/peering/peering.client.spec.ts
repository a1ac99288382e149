import { makeResource } from '../../../../../test/support/objects/resources.js';
import { type Resource, resourceKey } from '../../resources/resources.js';
import { selectPeeringResources } from './peering.client.js';

function resource(group: string, plural: string, namespaced: boolean, version = 'v1'): Resource {
  return makeResource({ group, plural, namespaced, version });
}

const AVAILABLE = [
  resource('zalando.org', 'clusterkopfpeerings', false),
  resource('zalando.org', 'kopfpeerings', true),
  resource('kopf.dev', 'clusterkopfpeerings', false),
  resource('kopf.dev', 'kopfpeerings', true),
  resource('kopf.dev', 'kopfpeerings', true, 'v2'),
  resource('other.dev', 'kopfpeerings', true),
];

describe('selectPeeringResources', () => {
  it.each([
    [
      'those of the cluster',
      AVAILABLE,
      true,
      ['clusterkopfpeerings.v1.kopf.dev', 'clusterkopfpeerings.v1.zalando.org'],
    ],
    ['those of namespaces', AVAILABLE, false, ['kopfpeerings.v1.kopf.dev', 'kopfpeerings.v1.zalando.org']],
    ['that of former times alone', AVAILABLE.slice(0, 2), true, ['clusterkopfpeerings.v1.zalando.org']],
    ['none', [], true, []],
    ['none of the former scope', [resource('kopf.dev', 'kopfpeerings', false)], false, []],
  ])('should select %s', (_what, available, clusterwide, expected) => {
    expect(selectPeeringResources(available, clusterwide).map(resourceKey)).toEqual(expected);
  });
});
