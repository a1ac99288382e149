import { DecodingError } from '../errors/field.error.js';
import type { MetadataDraft } from '../resources/kube-object.js';
import { describeTimeError, toWholeSeconds } from '../common/go-time.js';
import { isMapping, jsonTypeName } from '../common/json.values.js';

type MetadataFieldType = 'string' | 'integer' | 'time' | 'strings' | 'list' | 'map' | 'managed';

const FIELDS: Readonly<Record<string, MetadataFieldType>> = {
  name: 'string',
  generateName: 'string',
  namespace: 'string',
  uid: 'string',
  resourceVersion: 'string',
  generation: 'integer',
  creationTimestamp: 'time',
  deletionTimestamp: 'time',
  deletionGracePeriodSeconds: 'integer',
  labels: 'map',
  annotations: 'map',
  ownerReferences: 'list',
  finalizers: 'strings',
  managedFields: 'managed',
};
const TYPED_ORDER = Object.keys(FIELDS);
const SORTED_ORDER = [...TYPED_ORDER].sort();
/** The field that is accepted, if it is a text, but of no use to this server. */
const SELF_LINK = 'selfLink';

/**
 * Brings an object's metadata into the stored form: known fields in the server's order, labels and annotations sorted, without empty ones.
 *
 * @param sorted whether the fields are in alphabetical order, as those of custom resources are
 * @param unknown gets the paths of fields that metadata does not have
 * @throws DecodingError if a field is of a wrong type
 */
export function decodeMetadata(value: unknown, sorted: boolean, unknown: string[]): MetadataDraft {
  if (value === undefined || value === null) return {};
  if (!isMapping(value)) {
    if (!sorted) throw mistyped(value, 'metadata of type v1.ObjectMeta');
    throw new DecodingError(`json: cannot unmarshal ${jsonTypeName(value)} into Go value of type v1.ObjectMeta`);
  }
  const metadata: Record<string, unknown> = {};
  for (const field of sorted ? SORTED_ORDER : TYPED_ORDER) {
    const decoded = decodeField(field, FIELDS[field]!, value[field], sorted ? '' : 'metadata.');
    if (decoded !== undefined) metadata[field] = decoded;
  }
  for (const field of Object.keys(value)) {
    if (field === SELF_LINK) decodeField(field, 'string', value[field], sorted ? '' : 'metadata.');
    else if (!(field in FIELDS)) unknown.push(`metadata.${field}`);
  }
  return metadata;
}

/** Returns the same metadata in the order in which it is stored. */
export function orderMetadata(metadata: MetadataDraft, sorted: boolean): MetadataDraft {
  const ordered: Record<string, unknown> = {};
  for (const field of sorted ? SORTED_ORDER : TYPED_ORDER) {
    // The version is not known yet, but its place is.
    const value = field === 'resourceVersion' ? (metadata.resourceVersion ?? '') : metadata[field];
    if (value !== undefined) ordered[field] = value;
  }
  return ordered;
}

function decodeField(field: string, type: MetadataFieldType, value: unknown, prefix: string): unknown {
  if (value === undefined || value === null) return undefined;
  if (value === '' && type === 'string') return undefined;
  const path = `ObjectMeta.${prefix}${field}`;
  switch (type) {
    case 'string':
      if (typeof value !== 'string')
        throw mistyped(value, `${path} of type ${field === 'uid' ? 'types.UID' : 'string'}`);
      return value;
    case 'time':
      if (typeof value !== 'string') throw mistyped(value, `${path} of type string`);
      if (describeTimeError(value) !== undefined) throw unparsableTime(value);
      return toWholeSeconds(value);
    case 'integer':
      // None of them is kept as it is written, so that the nearest number does.
      if (typeof value === 'bigint') return Number(value);
      if (!Number.isInteger(value)) throw mistyped(value, `${path} of type int64`);
      return value;
    case 'strings':
      return decodeList(withoutNulls(value, ''), path, (item) => typeof item === 'string', 'string');
    case 'list':
      return decodeItems(
        decodeList(withoutNulls(value, {}), path, isMapping, 'v1.OwnerReference'),
        OWNER,
        'OwnerReference',
        prefix,
      );
    case 'managed':
      if (!Array.isArray(value)) throw mistyped(value, `${path} of type []v1.ManagedFieldsEntry`);
      // An empty list has a meaning, too: no owners are to be recorded any longer.
      return value.length === 0
        ? value
        : decodeItems(decodeList(value, path, isMapping, 'v1.ManagedFieldsEntry'), ENTRY, 'ManagedFieldsEntry', prefix);
    case 'map':
      return decodeMap(value, path);
  }
}

const OWNER: ItemTypes = {
  apiVersion: 'string',
  kind: 'string',
  name: 'string',
  uid: 'string',
  controller: 'boolean',
  blockOwnerDeletion: 'boolean',
};
const ENTRY: ItemTypes = {
  manager: 'string',
  operation: 'string',
  apiVersion: 'string',
  time: 'string',
  fieldsType: 'string',
  subresource: 'string',
};

type ItemTypes = Readonly<Record<string, 'string' | 'boolean'>>;

/** Checks the fields of the items of a list. */
function decodeItems(items: unknown, types: ItemTypes, name: string, prefix: string): unknown {
  for (const item of (items ?? []) as readonly Readonly<Record<string, unknown>>[]) {
    for (const [field, type] of Object.entries(types)) {
      const member = item[field];
      if (member === undefined || member === null || typeof member === type) continue;
      const list = name === 'OwnerReference' ? 'ownerReferences' : 'managedFields';
      const named = field === 'uid' ? 'types.UID' : type === 'boolean' ? 'bool' : type;
      throw mistyped(member, `${name}.${prefix}${list}.${field} of type ${named}`);
    }
  }
  return items;
}

function decodeList(value: unknown, path: string, isItem: (item: unknown) => boolean, type: string): unknown {
  if (!Array.isArray(value)) throw mistyped(value, `${path} of type []${type}`);
  const wrong: unknown = value.find((item) => !isItem(item));
  if (wrong !== undefined) throw mistyped(wrong, `${path} of type ${type}`);
  return value.length > 0 ? value : undefined;
}

/** Replaces nulls by empty items, as Go does. */
function withoutNulls(value: unknown, empty: unknown): unknown {
  return Array.isArray(value) && value.includes(null) ? value.map((item: unknown) => item ?? empty) : value;
}

function decodeMap(value: unknown, path: string): Readonly<Record<string, string>> | undefined {
  if (!isMapping(value)) throw mistyped(value, `${path} of type map[string]string`);
  const keys = Object.keys(value);
  if (keys.length === 0) return undefined;
  const inOrder = keys.every((key, index) => typeof value[key] === 'string' && (index === 0 || keys[index - 1]! < key));
  if (inOrder) return value as Readonly<Record<string, string>>;
  const decoded: Record<string, string> = {};
  for (const key of keys.sort()) {
    const item = value[key] ?? '';
    if (typeof item !== 'string') throw mistyped(item, `${path} of type string`);
    decoded[key] = item;
  }
  return decoded;
}

function mistyped(value: unknown, target: string): DecodingError {
  return new DecodingError(`json: cannot unmarshal ${jsonTypeName(value)} into Go struct field ${target}`);
}

function unparsableTime(value: string): DecodingError {
  return new DecodingError(describeTimeError(value) ?? '');
}
