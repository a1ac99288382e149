import { compareVersions } from './resource.registry.js';

describe('compareVersions', () => {
  it('should put stable versions first, the newest of each kind before older ones, and others last', () => {
    const versions = ['foo1', 'v1alpha1', 'v10', 'v1', 'v2beta1', 'v11alpha2', 'v1beta2', 'foo10', 'v2'];
    expect(versions.sort(compareVersions)).toEqual([
      'v10',
      'v2',
      'v1',
      'v2beta1',
      'v1beta2',
      'v11alpha2',
      'v1alpha1',
      'foo1',
      'foo10',
    ]);
  });
});
