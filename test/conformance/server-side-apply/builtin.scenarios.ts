import { FORCE, scenarioOf, type Kind, type Scenario, type Scenarios } from './apply.scenario.js';

const DEPLOYMENT = { apiVersion: 'apps/v1', kind: 'Deployment' };
const DEPLOYMENT_PATH = '/apis/apps/v1/namespaces/default/deployments';
const ROLE = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role' };
const CLAIM = { apiVersion: 'v1', kind: 'PersistentVolumeClaim' };
const CRD = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };
const CRD_PATH = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const MAP = { apiVersion: 'v1', kind: 'ConfigMap' };
const MAP_PATH = '/api/v1/namespaces/default/configmaps';

/** Scenarios for built-in kinds. */
export const BUILTIN_SCENARIOS: Scenarios = {
  ...builtin('a service', '/api/v1/namespaces/default/services', { apiVersion: 'v1', kind: 'Service' }, (o) => [
    o.apply({
      spec: {
        selector: { a: 'b' },
        ports: [
          { port: 80, name: 'a' },
          { port: 80, protocol: 'UDP', name: 'b' },
        ],
      },
    }),
    o.apply({ spec: { selector: { c: 'd' }, ports: [{ port: 81, protocol: 'TCP', name: 'c' }] } }, { manager: 'm2' }),
    o.apply(
      {
        spec: {
          ports: [
            { port: 80, protocol: 'TCP', name: 'z' },
            { port: 81, name: 'c', protocol: 'TCP' },
          ],
        },
      },
      { manager: 'm2' },
    ),
    o.apply({ spec: { selector: { a: 'b' }, ports: [{ port: 80, name: 'a' }] } }),
  ]),
  ...builtin('a secret', '/api/v1/namespaces/default/secrets', { apiVersion: 'v1', kind: 'Secret' }, (o) => [
    o.apply({ type: 'Opaque', data: { a: 'YQ==' } }),
    o.apply({ stringData: { b: 'b' } }, { manager: 'm2' }),
    o.apply({ data: { a: 'Yg==' } }, { manager: 'm2' }),
  ]),
  ...builtin('a role', '/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles', ROLE, (o) => {
    const rule = (resource: string): object => ({ apiGroups: [''], resources: [resource], verbs: ['get'] });
    return [
      o.apply({ rules: [rule('pods')] }),
      o.apply({ rules: [rule('secrets')] }, { manager: 'm2' }),
      o.apply({ rules: [rule('secrets')] }, { manager: 'm2', ...FORCE }),
      o.apply({}),
    ];
  }),
  ...builtin('a claim', '/api/v1/namespaces/default/persistentvolumeclaims', CLAIM, (o) => {
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
    return [
      o.apply({ spec }),
      o.apply({ spec }, { manager: 'm2' }),
      o.merge({ status: { phase: 'Pending', conditions: [{ type: 'X', status: 'True' }] } }, 'st', '/status'),
      o.apply({ status: { conditions: [{ type: 'X', status: 'False' }] } }, { subresource: 'status' }),
      o.apply({ metadata: { labels: { a: 'b' } } }, { manager: 'm2' }),
    ];
  }),
  ...builtin('a-pod', '/api/v1/namespaces/default/pods', { apiVersion: 'v1', kind: 'Pod' }, (o) => {
    const main = {
      name: 'main',
      image: 'i',
      env: [
        { name: 'A', value: '1' },
        { name: 'B', value: '1' },
      ],
    };
    return [
      o.apply({ spec: { containers: [main] } }),
      o.apply({ spec: { containers: [{ name: 'main', image: 'j' }] } }, { manager: 'm2', ...FORCE }),
      o.apply({ spec: { containers: [{ name: 'main', image: 'k' }] } }),
      o.apply(
        { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'main', image: 'j' }] } },
        { manager: 'm2' },
      ),
    ];
  }),
  ...builtin('things.example.org', CRD_PATH, CRD, (o) => {
    const version = (properties: object): object => ({
      name: 'v1',
      served: true,
      storage: true,
      schema: { openAPIV3Schema: { type: 'object', properties } },
    });
    const head = { group: 'example.org', scope: 'Namespaced', names: { plural: 'things', kind: 'Thing' } };
    return [
      o.apply({ spec: { ...head, versions: [version({ spec: { type: 'object' } })] } }),
      // What this would change belongs to somebody else; it is not asked again, as on the real server the status has an owner by now.
      o.apply({ spec: { ...head, versions: [version({ status: { type: 'object' } })] } }, { manager: 'm2' }),
    ];
  }),
  ...configMap('a built-in kind', (o) => [
    o.apply({ data: { a: '1', b: '2' } }),
    o.put({ data: { a: '5', n: '1' } }),
    o.apply({ data: { a: '6' } }),
    o.put({ metadata: { managedFields: [] }, data: { a: '5', n: '1' } }),
    o.apply({ data: { a: '5' } }),
    o.apply({ data: { a: 5 } }),
    o.apply({ unknown: { a: 5 } }),
    o.apply({ metadata: { labels: { a: null, b: '' } }, data: null, immutable: false }),
    o.apply({}),
    o.get(),
  ]),
  ...configMap('wrong requests for a built-in kind', (o) => [
    o.raw({}),
    o.raw({ ...MAP, kind: 'Secret', metadata: { name: o.name } }),
    o.raw({ ...MAP, apiVersion: 'v2', metadata: { name: o.name } }),
    o.raw(MAP),
    o.apply({ metadata: { uid: 'u' } }),
    o.apply({ metadata: { namespace: 'other' } }),
  ]),
  ...builtin('a deployment', DEPLOYMENT_PATH, DEPLOYMENT, (o) => {
    const containers = [
      {
        name: 'main',
        image: 'i',
        ports: [{ containerPort: 80 }],
        env: [{ name: 'A', value: '1' }],
        resources: { limits: { cpu: '0.1', memory: '1Gi' } },
      },
    ];
    const pod = {
      containers,
      volumes: [{ name: 'v', emptyDir: {} }],
      nodeSelector: { a: 'b' },
      tolerations: [{ key: 'x' }],
    };
    const labels = { a: 'b' };
    const selector = { matchLabels: labels };
    const template = (spec: object): object => ({ template: { metadata: { labels }, spec } });
    return [
      o.apply({ spec: { replicas: 2, selector, ...template(pod) } }),
      o.apply({ spec: { template: { spec: { containers: [{ name: 'main', image: 'j' }] } } } }, { manager: 'm2' }),
      o.apply(
        {
          spec: {
            template: {
              spec: {
                containers: [
                  { name: 'two', image: 'k' },
                  { name: 'main', image: 'j' },
                ],
              },
            },
          },
        },
        { manager: 'm2', ...FORCE },
      ),
      o.apply({ spec: { replicas: 3, selector, ...template({ containers: [{ name: 'main' }] }) } }),
      o.merge({ spec: { replicas: 4 } }, 'scaler', '/scale'),
      o.get(),
      o.merge({ spec: { replicas: 5 } }, 'scaler', '/scale'),
      o.apply({ spec: { replicas: 3 } }, { manager: 'm5' }),
      o.merge({ metadata: { annotations: { q: '1' } }, status: { replicas: 7 } }, 'st/1', '/status'),
      o.patch(
        'strategic-merge',
        {
          spec: {
            template: {
              spec: {
                containers: [
                  { name: 'main', env: [{ name: 'B', value: '1' }], ports: [{ containerPort: 81, protocol: 'TCP' }] },
                ],
              },
            },
          },
        },
        'strategist',
      ),
      o.apply(
        {
          spec: {
            template: { spec: { containers: [{ name: 'main', ports: [{ containerPort: 81, name: 'http' }] }] } },
          },
        },
        { manager: 'm3' },
      ),
      o.apply({ spec: { template: { spec: { nope: 1 } } } }),
      o.get(),
    ];
  }),
};

/** The defaults of built-in kinds and what they refuse are no matter of applying. */
function builtin(title: string, path: string, kind: Kind, scenario: Scenario): Scenarios {
  const [[name, steps]] = Object.entries(scenarioOf(title, path, kind, scenario));
  return { [name]: steps.map((step) => ({ ...step, compares: 'owners' })) };
}

function configMap(title: string, scenario: Scenario): Scenarios {
  return scenarioOf(title, MAP_PATH, MAP, scenario);
}
