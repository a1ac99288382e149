import { qualifiedName, type Resource } from '../../resources/resources.js';
import { selectWatched } from './watched.resources.js';

function resource(plural: string, group: string, rest: Partial<Resource> = {}): Resource {
  const none = { shortNames: [], categories: [], subresources: [] };
  const verbs = ['get', 'list', 'watch'];
  return {
    group,
    version: 'v1',
    plural,
    kind: plural,
    singular: '',
    namespaced: true,
    preferred: true,
    verbs,
    ...none,
    ...rest,
  };
}

const AVAILABLE = [
  resource('pods', '', { shortNames: ['po'] }),
  resource('deployments', 'apps'),
  resource('leases', 'coordination.k8s.io'),
  resource('gateways', 'gateway.networking.k8s.io'),
  resource('claims', 'example.com'),
  resource('claims', 'example.com', { version: 'v1beta1', preferred: false }),
  resource('reviews', 'example.com', { verbs: ['create'] }),
  resource('kopfpeerings', 'kopf.dev'),
];

const names = (resources: readonly Resource[]): readonly string[] =>
  resources.map((each) => `${qualifiedName(each)}/${each.version}`);

describe('selectWatched', () => {
  it('should select custom resources that can be watched, by their groups', () => {
    expect(names(selectWatched(AVAILABLE, { names: [] }).resources)).toEqual([
      'gateways.gateway.networking.k8s.io/v1',
      'claims.example.com/v1',
    ]);
  });

  it('should select those that have a CRD, where it is known which', () => {
    const definitions = new Set(['gateways.gateway.networking.k8s.io', 'kopfpeerings.kopf.dev']);
    expect(names(selectWatched(AVAILABLE, { names: [], definitions }).resources)).toEqual([
      'gateways.gateway.networking.k8s.io/v1',
    ]);
  });

  it('should select those that are named, and tell which ones there are not', () => {
    const { resources, missing } = selectWatched(AVAILABLE, { names: ['po', 'deployments.apps', 'pods', 'nothing'] });
    expect(names(resources)).toEqual(['pods/v1', 'deployments.apps/v1']);
    expect(missing).toEqual(['nothing']);
  });
});
