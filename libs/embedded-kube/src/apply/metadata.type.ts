import type { ValueType } from './value.type.js';

/** The name of the type that all objects' metadata have. */
export const METADATA = 'meta.v1.ObjectMeta';

const TEXT: ValueType = { scalar: 'string' };
const TEXTS: ValueType = { map: { field: () => undefined, others: () => TEXT } };
const REFERENCE: ValueType = {
  map: {
    atomic: true,
    field: (name) => (/^(controller|blockOwnerDeletion)$/.test(name) ? { scalar: 'boolean' } : REFERENCE_FIELDS[name]),
    others: () => undefined,
  },
};
const REFERENCE_FIELDS: Readonly<Record<string, ValueType>> = { apiVersion: TEXT, kind: TEXT, name: TEXT, uid: TEXT };

const OWNER: ValueType = {
  map: {
    field: (name) => (name === 'time' ? { scalar: 'any' } : name === 'fieldsV1' ? ANYTHING : OWNER_FIELDS[name]),
    others: () => undefined,
  },
};
const ANYTHING: ValueType = { map: { atomic: true, field: () => undefined, others: () => ANYTHING } };
const OWNER_FIELDS: Readonly<Record<string, ValueType>> = {
  manager: TEXT,
  operation: TEXT,
  apiVersion: TEXT,
  fieldsType: TEXT,
  subresource: TEXT,
};

const FIELDS: ReadonlyMap<string, ValueType> = new Map<string, ValueType>([
  ...['name', 'generateName', 'namespace', 'selfLink', 'uid', 'resourceVersion'].map((name): [string, ValueType] => [
    name,
    TEXT,
  ]),
  ['creationTimestamp', { scalar: 'any' }],
  ['deletionTimestamp', { scalar: 'any' }],
  ['generation', { scalar: 'numeric' }],
  ['deletionGracePeriodSeconds', { scalar: 'numeric' }],
  ['labels', TEXTS],
  ['annotations', TEXTS],
  ['ownerReferences', { list: { keys: ['uid'], defaults: { uid: '' }, items: () => REFERENCE } }],
  ['finalizers', { list: { keys: [], items: () => TEXT } }],
]);

/** The type of metadata: labels and annotations are merged one by one, finalizers as a set, owners by their uid. */
export const METADATA_TYPE: ValueType = { map: { field: (name) => FIELDS.get(name), others: () => undefined } };

const OWNERS: ValueType = { list: { items: () => OWNER } };

/** The type of the metadata of templates, in which `managedFields` are a value like any other. */
export const TEMPLATE_METADATA_TYPE: ValueType = {
  map: { field: (name) => (name === 'managedFields' ? OWNERS : FIELDS.get(name)), others: () => undefined },
};
