import { isBuiltInGroup } from './built-in.groups.js';

describe('isBuiltInGroup', () => {
  it.each(['', 'apps', 'batch', 'networking.k8s.io', 'rbac.authorization.k8s.io', 'metrics.k8s.io'])(
    'should find %j to be of Kubernetes',
    (group) => expect(isBuiltInGroup(group)).toBe(true),
  );

  it.each(['example.com', 'gateway.networking.k8s.io', 'snapshot.storage.k8s.io', 'cluster.x-k8s.io'])(
    'should find %j to be of custom resources',
    (group) => expect(isBuiltInGroup(group)).toBe(false),
  );
});
