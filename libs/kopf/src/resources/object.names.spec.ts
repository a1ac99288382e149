import { checkName, checkObjectPath, checkPath, selectName } from './object.names.js';

const NO_NAMES = [
  '',
  ' ',
  '\t\n',
  '.',
  '..',
  'a/b',
  '/',
  '../x',
  'a?b',
  'a%2Fb',
  'a#b',
  'a\\b',
  'a\n',
  'a\0b',
  '\ud800',
  null,
  undefined,
  5,
  {},
  [],
];

describe('checkName', () => {
  it.each(NO_NAMES)('should refuse %j, and say where it was given', (value) => {
    expect(() => checkName(value, 'KubeClient.get(): the argument name')).toThrow(TypeError);
    expect(() => checkName(value, 'KubeClient.get(): the argument name')).toThrow(
      /^KubeClient\.get\(\): the argument name (is|has|begins) /,
    );
  });

  it.each(['a', 'web-0', 'system:node', 'A.b~c', '...', '.a', 'with a space', 'é', 'a,b=c', '10.0.0.1', 'fd00::1'])(
    'should accept %s',
    (name) => {
      expect(() => checkName(name, 'x')).not.toThrow();
    },
  );
});

describe('selectName', () => {
  it('should escape what has a meaning in selectors', () => {
    expect(selectName('web')).toBe('metadata.name=web');
    expect(selectName('a,b=c')).toBe('metadata.name=a\\,b\\=c');
    expect(() => selectName('')).toThrow(TypeError);
  });
});

describe('checkPath', () => {
  it.each([
    '/',
    '/api',
    '/api/',
    '/apis/',
    '/api/v1/',
    '/apis/apps/',
    '/apis/apps/v1/',
    '/version/',
    '/openid/v1/jwks/',
    '/api/v1/pods?limit=5&continue=a/../b//',
    '/api/v1/namespaces/ns/pods/a',
    '/api/v1/namespaces/ns/pods/a/log?container=',
    '/api/v1/nodes/a%20b',
    '/api/v1/namespaces/ns/pods/a/proxy/',
    '/api/v1/namespaces/ns/services/http:web:80/proxy/a//b/%2F../?x=%2F',
    '/api/v1/nodes/n/proxy/..',
  ])('should accept %s', (path) => {
    expect(() => checkPath('GET', path)).not.toThrow();
  });

  it.each([
    ['/api/v1/namespaces/ns/pods/', 'name'],
    ['/api/v1/namespaces/ns/pods/?dryRun=All', 'name'],
    ['/api/v1/nodes/', 'name'],
    ['/api/v1/nodes/%20', 'name'],
    ['/api/v1/namespaces//pods/a', 'namespace'],
    ['/api/v1/namespaces/ns/pods/..', 'name'],
    ['/api/v1/namespaces/ns/pods/.', 'name'],
    ['/api/v1/namespaces/ns/pods/%2E%2e', 'name'],
    ['/api/v1/namespaces/ns/pods/a%2Fb', 'name'],
    ['/api/v1/namespaces/ns/pods/a%3Fb', 'name'],
    ['/api/v1/namespaces/ns/pods/a%252Fb', 'name'],
    ['/api/v1/namespaces/ns/pods/%', 'name'],
    ['/api/v1/namespaces/ns/pods/a/', 'subresource'],
    ['/api/v1/namespaces/ns/pods//proxy/a', 'name'],
    ['/api/v1/namespaces/ns/configmaps/proxy/..', 'subresource'],
    ['/apis/g.dev/v1/namespaces/ns//a', 'resource'],
    ['/apis//v1/things', 'API version'],
    ['/apis/../api/v1', 'API version'],
  ])('should refuse %s, and name what is wrong: the %s', (path, part) => {
    expect(() => checkPath('DELETE', path)).toThrow(TypeError);
    expect(() => checkPath('DELETE', path)).toThrow(`is not sent: the ${part} in the path `);
  });
});

describe('checkObjectPath', () => {
  it.each([
    '/api/v1/nodes',
    '/api/v1/namespaces',
    '/api/v1/namespaces/ns/pods?labelSelector=a',
    '/apis/apps/v1/deployments',
    '/apis/apps/v1/namespaces/ns/deployments',
  ])('should refuse the collection %s', (path) => {
    expect(() => checkObjectPath('DELETE', path)).toThrow(
      `DELETE ${path.replace(/\?.*/, '')} is not sent: it names no object`,
    );
  });

  it.each([
    '/api/v1/nodes/n',
    '/api/v1/namespaces/ns',
    '/api/v1/namespaces/ns/finalize',
    '/api/v1/namespaces/ns/pods/a/status',
    '/apis/apps/v1/namespaces/ns/deployments/a?x',
    '/any/other',
  ])('should accept %s', (path) => {
    expect(() => checkObjectPath('PUT', path)).not.toThrow();
  });
});
