import { parseRequest } from './request.info.js';

describe('parseRequest', () => {
  it.each([
    ['GET', '/api/v1/pods', 'list', ['', 'v1', '', 'pods', '', '']],
    ['GET', '/api/v1/pods?watch=true', 'watch', ['', 'v1', '', 'pods', '', '']],
    ['GET', '/api/v1/pods?watch=false', 'list', ['', 'v1', '', 'pods', '', '']],
    ['GET', '/api/v1/pods?watch=True', 'watch', ['', 'v1', '', 'pods', '', '']],
    ['GET', '/api/v1/pods?watch', 'watch', ['', 'v1', '', 'pods', '', '']],
    ['GET', '/api/v1/pods?watch=0', 'list', ['', 'v1', '', 'pods', '', '']],
    ['GET', '/api/v1/namespaces/n/pods/p?watch=1', 'get', ['', 'v1', 'n', 'pods', 'p', '']],
    ['GET', '/api/v1/watch/pods', 'watch', ['', 'v1', '', 'pods', '', '']],
    ['GET', '/apis/g.dev/v2/watch/namespaces/n/things/t', 'watch', ['g.dev', 'v2', 'n', 'things', 't', '']],
    ['HEAD', '/api/v1/namespaces/n/pods/p', 'get', ['', 'v1', 'n', 'pods', 'p', '']],
    ['POST', '/api/v1/namespaces/n/pods/', 'create', ['', 'v1', 'n', 'pods', '', '']],
    ['PATCH', '/apis/g.dev/v2/namespaces/n/things/t/status', 'patch', ['g.dev', 'v2', 'n', 'things', 't', 'status']],
    ['DELETE', '/api/v1/namespaces/n', 'delete', ['', 'v1', '', 'namespaces', 'n', '']],
    ['DELETE', '/api/v1/namespaces/n/pods', 'deletecollection', ['', 'v1', 'n', 'pods', '', '']],
    ['PUT', '/api/v1/namespaces/n/finalize', 'update', ['', 'v1', '', 'namespaces', 'n', 'finalize']],
    ['PUT', '/api/v1/namespaces/n/status', 'update', ['', 'v1', '', 'namespaces', 'n', 'status']],
    ['GET', '/api/v1/nodes/a%2Fb', 'get', ['', 'v1', '', 'nodes', 'a', 'b']],
    ['GET', '/api/v1/nodes/%zz', 'get', ['', 'v1', '', 'nodes', '%zz', '']],
  ])('should read %s %s as %s', (method, path, verb, [group, version, namespace, plural, name, subresource]) => {
    const info = parseRequest(method, path);
    expect(info.verb).toBe(verb);
    expect(info.target).toMatchObject({ group, version, namespace, plural, name, subresource });
  });

  it.each(['/', '/api', '/api/v1', '/apis/apps/v1', '/version', '/openapi/v3/api/v1'])(
    'should see no resource in %s',
    (path) => {
      const info = parseRequest('GET', path);
      expect(info).toMatchObject({ verb: 'get', path });
      expect(info.target).toBeUndefined();
    },
  );
});
