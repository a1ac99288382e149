import { deepEqual } from 'kube-common';
import type { CustomResourceVersion } from '../definition.interface.js';
import type { SchemaNode } from '../schema/schema.node.js';
import { CONDITION_REASON, CONDITION_TYPE } from '../status.condition.js';
import { listSchemaFields } from './schema.fields.js';

/** A rule that finds fields which are hard to evolve later; the paths are relative to the version. */
export type StyleRule = (version: CustomResourceVersion) => readonly { readonly path: string; readonly text: string }[];

/** Creates a rule that checks each field by itself. */
function each(isBroken: (node: SchemaNode, path: string) => boolean, text: string): StyleRule {
  return ({ schema }) =>
    [...listSchemaFields(schema.openAPIV3Schema)]
      .filter(([path, node]) => isBroken(node, path))
      .map(([path]) => ({ path, text }));
}

/** The schemas of the fields of `metav1.Condition`, as far as the rule requires them. */
const CONDITION_FIELDS: Readonly<Record<string, Partial<SchemaNode>>> = {
  type: { maxLength: 316, pattern: CONDITION_TYPE.source.replaceAll('\\/', '/') },
  status: { enum: ['True', 'False', 'Unknown'] },
  lastTransitionTime: { type: 'string', format: 'date-time' },
  reason: { maxLength: 1024, pattern: CONDITION_REASON.source },
  message: { maxLength: 32768 },
  observedGeneration: { minimum: 0 },
};

/** The conventions of OpenShift's crd-schema-checker, by its names. They are about new fields, and never reject a CRD. */
export const STYLE_RULES: Readonly<Record<string, StyleRule>> = {
  NoBools: each(
    ({ type }) => type === 'boolean',
    'is a boolean, to which no third value can be added later; take an enum',
  ),
  NoFloats: each(
    ({ type }) => type === 'number',
    'is a floating-point number, which differs by language; take an integer or a text',
  ),
  NoUints: each(
    ({ format }) => format === 'uint' || format === 'uint32' || format === 'uint64',
    'is an unsigned integer, which not all clients have; take an integer with minimum: 0',
  ),
  NoMaps: each(
    ({ additionalProperties }, path) => additionalProperties !== undefined && !/[lL]abels$|[aA]nnotations$/.test(path),
    'is a map; take a list of objects with a key, which can get more fields',
  ),
  MustHaveStatus: ({ schema: { openAPIV3Schema }, subresources }) =>
    openAPIV3Schema.properties?.status && !subresources?.status
      ? [{ path: '.status', text: 'is no subresource, so that users can write it; set subresources: { status: true }' }]
      : [],
  ListsMustHaveSSATags: each(
    (node) => node.type === 'array' && node['x-kubernetes-list-type'] === undefined,
    'does not say how it is merged; add @ListType()',
  ),
  ConditionsMustHaveProperSSATags: each((node, path) => {
    if (!path.endsWith('.conditions') || node.type !== 'array') return false;
    const isMap = node['x-kubernetes-list-type'] === 'map' && node['x-kubernetes-list-map-keys']?.join() === 'type';
    return !isMap || Object.entries(CONDITION_FIELDS).some(([name, wanted]) => !hasSchema(node.items, name, wanted));
  }, "must be a list with @ListType('map', ['type']) of conditions as metav1.Condition describes them; take StatusCondition"),
};

function hasSchema(node: SchemaNode | undefined, name: string, wanted: Partial<SchemaNode>): boolean {
  const field = node?.properties?.[name];
  if (!field) return false;
  return Object.entries(wanted).every(([keyword, value]) => {
    const found: unknown = field[keyword as keyof SchemaNode];
    // The order of the values of an enum does not matter.
    return deepEqual(
      Array.isArray(found) ? [...(found as unknown[])].sort() : found,
      Array.isArray(value) ? [...(value as unknown[])].sort() : value,
    );
  });
}
