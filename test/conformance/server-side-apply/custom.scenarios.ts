import { FORCE, scenarioOf, type Scenario, type Scenarios } from './apply.scenario.js';
import { ApplySteps, type ApplyStep } from './apply.steps.js';

const MERGER = { apiVersion: 'example.com/v1', kind: 'Merger' };
const PATH = '/apis/example.com/v1/namespaces/default/mergers';
const RESET = { metadata: { managedFields: [{}] } };

/** Scenarios for custom resources. */
export const CUSTOM_SCENARIOS: Scenarios = {
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
  ...custom('the order of conflicts', (o) => [
    o.apply({ spec: { list: ['1'], labels: { p: '1' }, free: { x: 1, z: 2, y: { x: 1 } }, a: '1' } }),
    o.apply(
      { spec: { list: ['2'], labels: { p: '2' }, free: { x: 2, z: 3, y: { x: 2 } }, a: '2' } },
      { manager: 'm2' },
    ),
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
    o.apply({ spec: { either: null } }),
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
  ...custom('a status that its last owner lets go', (o) => [
    o.apply({ metadata: { labels: {} } }),
    o.merge({ metadata: { managedFields: [{}] } }),
    o.apply({ status: { s: '1' } }, { subresource: 'status' }),
    o.apply({}, { subresource: 'status' }),
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
    ...Array.from({ length: 12 }, (_, index) => ({
      ...o.merge({ spec: { labels: { [`l${index}`]: '1' } } }, `agent${index + 10}`),
      // The eleventh joins the first two. The twelfth has the third join them, as it came later.
      pause: index === 2 ? 1100 : 0,
    })),
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
  ...custom('owners and finalizers', (o) => {
    // Of a kind that no garbage collector knows.
    const owner = { apiVersion: 'example.org/v1', kind: 'Unknown', name: 'x', uid: '1' };
    return [
      o.apply({ metadata: { finalizers: ['x/a'], ownerReferences: [owner] } }),
      o.apply({ metadata: { finalizers: ['x/b'], ownerReferences: [{ ...owner, uid: '2' }] } }, { manager: 'm2' }),
      o.apply({ metadata: { ownerReferences: [{ ...owner, name: 'y' }] } }, { manager: 'm2' }),
      o.merge({ metadata: { finalizers: ['x/a', 'x/b', 'x/c'] } }),
      { method: 'DELETE', path: o.path },
      o.apply({ metadata: { ownerReferences: [owner] } }),
      o.apply({ spec: { a: '1' } }),
      o.merge({ metadata: { finalizers: ['x/b'] } }),
      o.apply({ spec: { a: '2' } }, { manager: 'm2' }),
      o.get(),
    ];
  }),
  'a resource without a schema, in two versions': [
    loose('v1').apply({ spec: { a: { b: 1 }, list: [1] }, status: { s: 1 }, top: 'x' }),
    loose('v2').apply({ spec: { a: { b: 1 } }, status: { s: 1 } }),
    loose('v2').apply({ spec: { a: { c: 1 } } }, { manager: 'm2' }),
    loose('v1').apply({ spec: { a: { b: 2 } } }, { manager: 'm3' }),
    loose('v1').merge({ spec: { a: { b: 3 } }, status: { s: 2 } }),
    loose('v2').apply({ spec: { a: { b: 4 } } }, { manager: 'm3' }),
    loose('v2').apply({ spec: { a: { b: 4 } } }, { manager: 'm3', ...FORCE }),
    loose('v1').apply({}, { manager: 'm3' }),
    loose('v1').get(),
    loose('v2').get(),
  ],
};

function loose(version: string): ApplySteps {
  const head = { apiVersion: `example.com/${version}`, kind: 'Loose' };
  return new ApplySteps(`/apis/example.com/${version}/loose`, head, 'versions');
}

/** A request that embedded-kube keeps no account of, as nothing was applied to the object. */
function untracked(step: ApplyStep): ApplyStep {
  return { ...step, compares: 'content' };
}

function custom(title: string, scenario: Scenario): Scenarios {
  return scenarioOf(title, PATH, MERGER, scenario);
}
