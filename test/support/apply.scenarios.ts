import { ApplySteps, type ApplyStep } from './apply.steps.js';

const text = { type: 'string' };
const list = (type: string, items: object, ...keys: string[]): object => ({
  type: 'array',
  'x-kubernetes-list-type': type,
  ...(keys.length > 0 && { 'x-kubernetes-list-map-keys': keys }),
  items,
});
const item = (...required: string[]): object => ({
  type: 'object',
  required,
  properties: { k: text, p: { type: 'string', default: 'TCP' }, v: text, inner: list('set', text) },
});
const bare = { type: 'object', required: ['k'], properties: { k: text, v: text } };

/** The definition whose objects the scenarios apply: a field of each kind of merging. */
export const MERGERS = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'mergers.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'mergers', kind: 'Merger' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  a: text,
                  n: { type: 'integer' },
                  b: { type: 'boolean' },
                  either: { 'x-kubernetes-int-or-string': true },
                  d: { type: 'string', default: 'default' },
                  set: list('set', text),
                  numbers: list('set', { type: 'integer' }),
                  map: list('map', bare, 'k'),
                  map2: list('map', item('k', 'p'), 'k', 'p'),
                  list: { type: 'array', items: text },
                  atomic: { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { x: text, y: text } },
                  labels: { type: 'object', additionalProperties: text },
                  nested: {
                    type: 'object',
                    additionalProperties: { type: 'object', properties: { q: text, r: text } },
                  },
                  free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                  anything: { 'x-kubernetes-preserve-unknown-fields': true },
                  object: {
                    type: 'object',
                    properties: { x: text, deep: { type: 'object', properties: { y: text } } },
                  },
                },
              },
              status: { type: 'object', properties: { s: text, conditions: list('map', bare, 'k') } },
            },
          },
        },
      },
    ],
  },
};

const MERGER = { apiVersion: 'example.com/v1', kind: 'Merger' };
const MERGER_PATH = '/apis/example.com/v1/namespaces/default/mergers';
const DEPLOYMENT = { apiVersion: 'apps/v1', kind: 'Deployment' };
const DEPLOYMENT_PATH = '/apis/apps/v1/namespaces/default/deployments';
const MAP = { apiVersion: 'v1', kind: 'ConfigMap' };
const MAP_PATH = '/api/v1/namespaces/default/configmaps';
const FORCE = { force: true };
const RESET = { metadata: { managedFields: [{}] } };

/** Requests that two servers are to answer in the same way, each scenario for an object of its own. */
export const APPLY_SCENARIOS: Readonly<Record<string, readonly ApplyStep[]>> = {
  ...custom('fields of every kind', (o) => [
    o.apply({
      metadata: { labels: { 'a.b/c': '1' }, finalizers: ['x/y'], annotations: { z: '1' } },
      spec: {
        a: '1',
        n: 1,
        b: true,
        either: '5%',
        set: ['p', 'q'],
        numbers: [10, 9],
        map: [{ k: '1', v: '2' }],
        map2: [{ k: 'x', v: '1', inner: ['i'] }],
        list: ['1'],
        atomic: { x: '1' },
        labels: { l: '1' },
        nested: { o: { q: '1' }, oo: {} },
        free: { a: { b: [1, { c: 1 }] }, z: {} },
        anything: [1],
        object: {},
      },
      status: { s: '1' },
    }),
    o.apply({ spec: { a: '1' } }),
    o.apply({}),
  ]),
  ...custom('scalars and conflicts', (o) => [
    o.apply({ spec: { a: '1', n: 1 } }),
    o.apply({ spec: { a: '1' } }, { manager: 'm2' }),
    o.apply({ spec: { a: '2', n: 2 } }, { manager: 'm3' }),
    o.apply({ spec: { a: '2' } }, { manager: 'm2' }),
    o.apply({ spec: { a: '2' } }, { manager: 'm3', ...FORCE }),
    o.apply({ spec: { n: 1 } }),
    o.apply({ spec: { n: 1 } }),
    o.apply({ spec: {} }, { manager: 'm3' }),
    o.get(),
  ]),
  ...custom('lists with keys', (o) => [
    o.apply({
      spec: {
        map: [
          { k: 'b', v: '1' },
          { k: 'a', v: '1' },
        ],
      },
    }),
    o.apply({ spec: { map: [{ k: 'c', v: '1' }, { k: 'a' }, { k: 'b' }] } }, { manager: 'm2' }),
    o.apply({ spec: { map: [{ k: 'a', v: '2' }] } }, { manager: 'm2' }),
    o.apply({ spec: { map: [{ k: 'a', v: '2' }] } }, { manager: 'm2', ...FORCE }),
    o.apply({ spec: { map: [{ k: 'd' }] } }),
    o.apply({ spec: { map: [] } }),
    o.apply({ spec: {} }, { manager: 'm2' }),
    o.apply({ spec: { map2: [{ k: 'a' }, { k: 'a', p: 'UDP', v: '1', inner: ['x', 'y'] }] } }),
    o.apply(
      {
        spec: {
          map2: [
            { k: 'a', p: 'TCP', v: '3' },
            { k: 'a', p: 'UDP', inner: ['z'] },
          ],
        },
      },
      { manager: 'm2' },
    ),
    o.apply({ spec: { map2: [{ k: 'a', v: '4' }, { k: 'b' }] } }),
    o.apply({ spec: { map2: [{ k: 'b', inner: ['z'] }] } }),
  ]),
  ...custom('the order of lists', (o) => [
    o.apply({ spec: { set: ['a', 'b', 'c', 'd'] } }),
    o.apply({ spec: { set: ['d', 'x', 'b', 'y'] } }, { manager: 'm2' }),
    o.apply({ spec: { set: ['c', 'n', 'a', 'd', 'm'] } }),
    o.apply({ spec: { set: ['q', 'm', 'y'] } }, { manager: 'm3' }),
    o.apply({ spec: { set: ['y', 'm', 'q', 'd'] } }, { manager: 'm3' }),
    o.apply({ spec: { set: ['z'] } }),
  ]),
  ...custom('sets', (o) => [
    o.apply({ spec: { set: ['a', 'b'], numbers: [1, 20, 3] } }),
    o.apply({ spec: { set: ['b', 'c'] } }, { manager: 'm2' }),
    o.apply({ spec: { set: ['b'], numbers: [] } }),
    o.apply({ spec: {} }, { manager: 'm2' }),
    o.apply({ spec: {} }),
  ]),
  ...custom('values that are replaced as a whole', (o) => [
    o.apply({ spec: { list: ['a'], atomic: { x: '1' } } }),
    o.apply({ spec: { list: ['b'], atomic: { y: '1' } } }, { manager: 'm2' }),
    o.apply({ spec: { list: ['b'], atomic: { y: '1' } } }, { manager: 'm2', ...FORCE }),
    o.apply({ spec: { list: ['b'] } }),
    o.apply({ spec: { atomic: {} } }, { manager: 'm2' }),
    o.apply({ spec: {} }),
  ]),
  ...custom('mappings', (o) => [
    o.apply({ metadata: { labels: { a: '1', b: '1' } }, spec: { labels: { a: '1' }, nested: { o: { q: '1' } } } }),
    o.apply(
      { metadata: { labels: { c: '1' } }, spec: { labels: { b: '1' }, nested: { o: { r: '1' } } } },
      { manager: 'm2' },
    ),
    o.apply({ metadata: { labels: { a: '1' } }, spec: { labels: {}, nested: {} } }),
    o.apply({}),
    o.apply({}, { manager: 'm2' }),
  ]),
  ...custom('fields without a schema', (o) => [
    o.apply({ spec: { free: { a: { b: 1, c: [1] }, x: 'y' }, anything: { q: 1 } } }),
    o.apply({ spec: { free: { a: { d: { e: true } }, x: { z: 1 } } } }, { manager: 'm2' }),
    o.apply({ spec: { free: { a: { d: { e: true } }, x: { z: 1 } }, anything: 'text' } }, { manager: 'm2', ...FORCE }),
    o.apply({ spec: { free: { a: { c: [2] } } } }),
    o.apply({ spec: { free: {} } }, { manager: 'm2' }),
    o.apply({ spec: {} }),
  ]),
  ...custom('nulls', (o) => [
    o.apply({ spec: { a: '1', object: { x: '1', deep: { y: '1' } } } }),
    o.apply({ spec: { a: null } }),
    o.apply({ spec: { object: null } }),
    o.apply({ spec: { object: { deep: null } } }, { manager: 'm2' }),
    o.apply({ spec: { object: { deep: { y: '2' } } } }),
    o.merge({ spec: { object: { deep: null } } }),
    o.apply({ metadata: { labels: { a: '' } }, spec: {} }),
  ]),
  ...custom('updates between applications', (o) => [
    o.apply({ metadata: { labels: { a: '1' } }, spec: { a: '1', n: 1, map: [{ k: 'a', v: '1' }], set: ['a'] } }),
    o.merge({ metadata: { labels: { b: '1' } }, spec: { a: '2', labels: { z: '1' } } }),
    o.merge({ metadata: { labels: { b: '1' } }, spec: { a: '2' } }),
    o.apply({ spec: { a: '3' } }),
    o.apply({ spec: { a: '3' } }, FORCE),
    o.patch('json', [{ op: 'replace', path: '/spec/a', value: '4' }], 'j so\tn/2'),
    o.merge({ spec: { labels: null } }, ''),
    { ...o.put({ spec: { a: '4', free: { x: { y: 1 } }, map: [{ k: 'a', v: '2' }, { k: 'c' }] } }), agent: 'putter' },
    o.apply(
      {
        spec: {
          map: [
            { k: 'a', v: '3' },
            { k: 'c', v: '1' },
          ],
        },
      },
      { manager: 'm2' },
    ),
    o.apply({ spec: { n: 1 } }),
    o.merge({ spec: null }),
    o.get(),
  ]),
  ...custom('the status', (o) => [
    o.apply({ spec: { a: '1' }, status: { s: '1' } }),
    o.apply(
      { spec: { a: '9' }, metadata: { labels: { x: '1' } }, status: { s: '2' } },
      { manager: 'm2', subresource: 'status' },
    ),
    o.apply({ status: { s: '3', conditions: [{ k: 'Ready', v: '1' }] } }, { manager: 'm3', subresource: 'status' }),
    o.merge({ spec: { a: '9' }, metadata: { labels: { y: '1' } }, status: { s: '5' } }, 'agent/1', '/status'),
    o.merge({ spec: { a: '8' }, status: { s: '6' } }),
    o.apply({ status: { s: '3' } }, { manager: 'm2', subresource: 'status' }),
    o.apply({ status: { conditions: [{ k: 'Done' }] } }, { manager: 'm2', subresource: 'status', ...FORCE }),
    o.apply({ spec: { a: '1' } }, { manager: 'm2' }),
    o.get(),
  ]),
  ...custom('objects that were not tracked', (o) => [
    untracked(o.post({ metadata: { labels: { a: '1' } }, spec: { a: '1', map: [{ k: 'a' }], free: { x: {} } } })),
    o.merge(RESET),
    o.merge({ spec: { n: 1 } }),
    o.apply({ spec: { a: '1' } }),
    o.apply({ spec: { n: 2, set: ['a'] } }, { manager: 'm2' }),
    o.apply({ spec: { n: 2, set: ['a'] } }, { manager: 'm2', ...FORCE }),
    o.merge(RESET),
    o.apply({ status: { s: '1' } }, { subresource: 'status' }),
    o.apply({ spec: { n: 2 } }),
  ]),
  ...custom('managed fields that clients write', (o) => [
    o.apply({ spec: { a: '1' } }),
    o.merge({ metadata: { managedFields: [] } }),
    o.merge({ metadata: { managedFields: null } }),
    o.merge({
      metadata: {
        managedFields: [
          { manager: 'x', operation: 'Foo', apiVersion: 'example.com/v1', fieldsType: 'FieldsV1', fieldsV1: {} },
        ],
      },
    }),
    o.merge({
      metadata: {
        managedFields: [
          {
            manager: 'x',
            operation: 'Update',
            apiVersion: 'example.com/v1',
            fieldsType: 'FieldsV1',
            fieldsV1: { q: {} },
          },
        ],
      },
    }),
    o.merge({
      metadata: {
        managedFields: [
          {
            manager: 'x',
            operation: 'Update',
            apiVersion: 'example.com/v1',
            fieldsType: 'FieldsV1',
            fieldsV1: { 'f:spec': { 'f:n': {} } },
          },
        ],
      },
    }),
    o.apply({ spec: { n: 1 } }),
    o.merge(RESET),
    o.get(),
  ]),
  ...custom('wrong requests', (o) => [
    o.raw(o.configuration({}), ''),
    o.raw(o.configuration({}), `?fieldManager=${'x'.repeat(129)}`),
    o.raw(o.configuration({}), '?fieldManager=a%0Ab'),
    { ...o.merge({}), path: `${o.path}?force=true` },
    { ...o.merge({}), path: `${o.path}?fieldManager=${'x'.repeat(129)}` },
    o.raw('[]'),
    o.raw(''),
    o.raw({ kind: 'Merger', metadata: { name: o.name } }),
    o.raw({ ...MERGER, apiVersion: 'example.com/v2', metadata: { name: o.name } }),
    o.raw({ ...MERGER, kind: 'Other', metadata: { name: o.name } }),
    o.raw({ apiVersion: MERGER.apiVersion, metadata: { name: o.name } }),
    o.raw({ ...MERGER }),
    o.raw({ ...MERGER, metadata: { name: 'other' } }),
    o.apply({ metadata: { namespace: 'other' } }),
    o.apply({ metadata: { managedFields: [] } }),
    o.apply({ metadata: { managedFields: [{}] } }),
    o.apply({ metadata: { uid: 'u' } }),
    o.apply({ status: { s: '1' } }, { subresource: 'status' }),
    o.apply({ spec: { unknown: 1 } }),
    o.apply({ unknown: 1 }),
    o.apply({ spec: { a: 1, n: 'x', b: 'x', map: {}, labels: [], atomic: 'x' } }),
    o.apply({ spec: { set: ['a', 'a'], map: [{ k: '1' }, { k: '1' }] } }),
    o.apply({ spec: { map: [{ v: '1' }] } }),
    o.apply({ spec: { map: [null] } }),
    o.apply({ spec: { map: ['x'] } }),
    o.apply({ spec: { set: [null] } }),
    o.apply({ spec: { map2: [{ p: '1' }] } }),
    o.get(),
  ]),
  ...custom('versions of the object', (o) => [
    o.apply({ metadata: { resourceVersion: '1' }, spec: { a: '1' } }),
    o.apply({ metadata: { resourceVersion: '1' }, spec: { a: '2' } }),
    o.apply({ metadata: { resourceVersion: '1' }, spec: { a: '2' } }, { manager: 'm2' }),
    o.apply({ spec: { a: '1' } }, { query: '&dryRun=All', manager: 'm4' }),
    o.raw(`apiVersion: example.com/v1\nkind: Merger\nmetadata: {name: ${o.name}}\nspec:\n  a: "2"\n`),
    o.raw({ ...MERGER, spec: { a: '3' } }),
    o.merge({ metadata: { namespace: 'other' } }),
    o.apply({ metadata: { namespace: 'other' } }),
    o.get(),
  ]),
  ...custom('dry runs', (o) => [
    o.apply({ spec: { a: '1' } }, { query: '&dryRun=All' }),
    o.get(),
    o.apply({ spec: { a: '1' } }),
    o.apply({ spec: { a: '2' } }, { query: '&dryRun=All' }),
    o.apply({ spec: { a: '2' } }, { manager: 'm2', query: '&dryRun=All' }),
    o.apply({ spec: { a: '2' } }, { manager: 'm2', force: true, query: '&dryRun=All' }),
    o.get(),
  ]),
  ...custom('many writers', (o) => [
    o.apply({ spec: { a: '1' } }),
    ...Array.from({ length: 14 }, (_, index) =>
      o.merge({ spec: { labels: { [`l${index}`]: '1' } } }, `agent${index + 10}`),
    ),
    o.merge({ spec: { labels: { l0: null, l3: '2' } } }, 'last'),
    o.get(),
  ]),
  ...custom('changing over from the client', (o) => {
    const annotations = {
      'kubectl.kubernetes.io/last-applied-configuration': `${JSON.stringify({ ...MERGER, metadata: { annotations: {}, name: o.name, namespace: 'default' }, spec: { a: '1', n: 1 } })}\n`,
    };
    return [
      untracked(o.post({ metadata: { annotations }, spec: { a: '1', n: 1, b: true } })),
      o.merge(RESET),
      o.apply({ spec: { a: '2', b: false } }, { manager: 'kubectl' }),
      o.apply({ spec: { a: '2' } }, { manager: 'm2' }),
      o.apply({ metadata: { annotations: { x: '1' } }, spec: { a: '2' } }, { manager: 'kubectl' }),
      o.merge({ spec: { n: 5 } }),
      o.apply({ spec: { a: '2', n: 6 } }, { manager: 'kubectl' }),
      o.get(),
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
  ...object('a deployment', DEPLOYMENT_PATH, DEPLOYMENT, (o) => {
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
      // The defaults of built-in kinds are no matter of applying.
    ].map((step) => ({ ...step, compares: 'owners' }));
  }),
};

/** A request that embedded-kube keeps no account of, as nothing was applied to the object. */
function untracked(step: ApplyStep): ApplyStep {
  return { ...step, compares: 'content' };
}

type Scenario = (object: ApplySteps) => readonly ApplyStep[];

function object(
  title: string,
  path: string,
  head: typeof MERGER,
  scenario: Scenario,
): Record<string, readonly ApplyStep[]> {
  return { [title]: scenario(new ApplySteps(path, head, title.replaceAll(' ', '-'))) };
}

function custom(title: string, scenario: Scenario): Record<string, readonly ApplyStep[]> {
  return object(title, MERGER_PATH, MERGER, scenario);
}

function configMap(title: string, scenario: Scenario): Record<string, readonly ApplyStep[]> {
  return object(title, MAP_PATH, MAP, scenario);
}
