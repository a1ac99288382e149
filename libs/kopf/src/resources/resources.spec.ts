import { type Resource, resourceApiVersion, resourceKey, resourceUrl, type ResourceUrlOptions } from './resources.js';

const pods = { group: '', version: 'v1', plural: 'pods', namespaced: true } as Resource;
const deployments = { group: 'apps', version: 'v1', plural: 'deployments', namespaced: true } as Resource;
const nodes = { group: '', version: 'v1', plural: 'nodes', namespaced: false } as Resource;

it('should name resources as kubectl does', () => {
  expect(resourceKey(pods)).toBe('pods.v1');
  expect(resourceKey(deployments)).toBe('deployments.v1.apps');
});

it('should give the apiVersion of objects', () => {
  expect(resourceApiVersion(pods)).toBe('v1');
  expect(resourceApiVersion(deployments)).toBe('apps/v1');
});

describe('resourceUrl', () => {
  it.each<[Resource, ResourceUrlOptions | undefined, string]>([
    [pods, undefined, '/api/v1/pods'],
    [pods, { namespace: null }, '/api/v1/pods'],
    [pods, { namespace: 'ns' }, '/api/v1/namespaces/ns/pods'],
    [pods, { namespace: 'ns', name: 'a' }, '/api/v1/namespaces/ns/pods/a'],
    [
      deployments,
      { namespace: 'ns', name: 'a', subresource: 'status' },
      '/apis/apps/v1/namespaces/ns/deployments/a/status',
    ],
    [nodes, { name: 'system:node' }, '/api/v1/nodes/system:node'],
    [nodes, { name: 'a b+é' }, '/api/v1/nodes/a%20b%2B%C3%A9'],
    [nodes, { name: undefined }, '/api/v1/nodes'],
    [nodes, { query: {} }, '/api/v1/nodes'],
    [
      nodes,
      { query: { watch: true, limit: 5, none: undefined, q: 'a&b' } },
      '/api/v1/nodes?watch=true&limit=5&q=a%26b',
    ],
  ])('should build for %j with %j: %s', (resource, options, url) => {
    expect(resourceUrl(resource, options)).toBe(url);
  });

  it.each<[Resource, ResourceUrlOptions]>([
    [pods, { subresource: 'status' }],
    [pods, { name: 'a' }],
    [nodes, { namespace: 'ns' }],
    [nodes, { name: '..' }],
    [nodes, { name: '' }],
    [nodes, { name: ' ' }],
    [nodes, { name: 'a/../b' }],
    [nodes, { name: 'a?watch=true' }],
    [nodes, { name: 'a%2Fb' }],
    [nodes, { name: null as unknown as string }],
    [nodes, { name: 5 as unknown as string }],
    [nodes, { name: 'a', subresource: '' }],
    [nodes, { name: 'a', subresource: 'status/../..' }],
    [pods, { namespace: '', name: 'a' }],
    [pods, { namespace: 'ns/pods/b', name: 'a' }],
    [pods, { namespace: 'ns', name: '' }],
    [pods, { namespace: '..' }],
    [pods, { namespace: '.', name: 'a' }],
  ])('should refuse for %j: %j', (resource, options) => {
    expect(() => resourceUrl(resource, options)).toThrow(TypeError);
  });
});
