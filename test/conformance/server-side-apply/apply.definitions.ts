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
export const MERGERS = definition('mergers', 'Merger', 'Namespaced', [
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
]);

const FREE_SCHEMA = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };

/** A definition of the cluster without a schema, in two versions, whose status is a field as others. */
export const LOOSE = definition('loose', 'Loose', 'Cluster', [
  { name: 'v1', served: true, storage: true, schema: FREE_SCHEMA },
  { name: 'v2', served: true, storage: false, schema: FREE_SCHEMA },
]);

function definition(plural: string, kind: string, scope: string, versions: readonly object[]) {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.example.com` },
    spec: { group: 'example.com', scope, names: { plural, kind }, versions },
  };
}
