import { pathTemplate } from './path.template.js';

describe('pathTemplate', () => {
  it.each([
    ['/api/v1/pods', '/api/v1/pods'],
    ['/api/v1/nodes/one', '/api/v1/nodes/{name}'],
    ['/api/v1/namespaces', '/api/v1/namespaces'],
    ['/api/v1/namespaces/default', '/api/v1/namespaces/{name}'],
    ['/api/v1/namespaces/default/pods', '/api/v1/namespaces/{namespace}/pods'],
    ['/api/v1/namespaces/default/pods/web/log', '/api/v1/namespaces/{namespace}/pods/{name}/log'],
    ['/api/v1/namespaces/ns/services/a/proxy/x/y', '/api/v1/namespaces/{namespace}/services/{name}/proxy'],
    ['/apis/kopf.dev/v1/kopfexamples/a/status', '/apis/kopf.dev/v1/kopfexamples/{name}/status'],
    ['/apis/apps/v1/namespaces/a/deployments/b', '/apis/apps/v1/namespaces/{namespace}/deployments/{name}'],
    ['/k8s/clusters/c/api/v1/pods/a', '/k8s/clusters/c/api/v1/pods/{name}'],
  ])('should have placeholders for names: %s', (path, template) => {
    expect(pathTemplate(path)).toBe(template);
  });

  it.each(['/', '/version', '/api', '/api/v1', '/apis/apps', '/apis/apps/v1', '/readyz'])(
    'should be nothing for what is no resource: %s',
    (path) => {
      expect(pathTemplate(path)).toBeUndefined();
    },
  );
});
