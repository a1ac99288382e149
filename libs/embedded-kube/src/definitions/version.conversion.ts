import { isMapping, jsonEqual, mapping } from '../common/json.values.js';
import type { KubeObject } from '../resources/kube-object.js';
import { decodeStructural } from './schema/structural.codec.js';
import type { StructuralSchema } from './schema/structural.schema.js';

/** A version of a definition, as far as its objects are concerned. */
export interface ConvertedVersion {
  /** The group and version of the objects. */
  readonly apiVersion: string;
  readonly schema: StructuralSchema;
}

/**
 * The conversion of custom resources from the version in which they are stored to another one, and back. Nothing is renamed: fields that
 * the other version does not have are lost. What is read has the defaults of the stored version, also those that it did not have when the
 * object was written.
 */
export class VersionConversion {
  private readonly read = new WeakMap<KubeObject, KubeObject>();
  private readonly pruning: StructuralSchema;
  private readonly storagePruning: StructuralSchema;
  private readonly hasDefaults: boolean;

  constructor(
    private readonly served: ConvertedVersion,
    private readonly storage: ConvertedVersion,
  ) {
    this.pruning = withoutDefaults(served.schema);
    this.storagePruning = withoutDefaults(storage.schema);
    this.hasDefaults = !jsonEqual(this.storagePruning, storage.schema);
  }

  /** Whether all objects that are stored in the served version are read as they are. */
  get isReadAsStored(): boolean {
    return !this.hasDefaults;
  }

  /** @returns the object itself if it has to be in no other form */
  fromStorage(object: KubeObject): KubeObject {
    if (!this.hasDefaults && object.apiVersion === this.served.apiVersion) return object;
    let converted = this.read.get(object);
    if (!converted) this.read.set(object, (converted = this.convert(object)));
    return converted;
  }

  toStorage(object: KubeObject): KubeObject {
    const { apiVersion } = this.storage;
    return object.apiVersion === apiVersion ? object : decoded({ ...object, apiVersion }, this.storagePruning);
  }

  private convert(object: KubeObject): KubeObject {
    const { apiVersion } = this.served;
    // Objects can still be stored in the version that was the storage version before.
    const { schema } = object.apiVersion === apiVersion ? this.served : this.storage;
    const complete = this.hasDefaults ? decoded(object, schema) : object;
    return complete.apiVersion === apiVersion ? complete : decoded({ ...complete, apiVersion }, this.pruning);
  }
}

/** @returns the object itself if it fits the schema already */
function decoded(object: KubeObject, schema: StructuralSchema): KubeObject {
  const { apiVersion, kind, metadata, ...content } = object;
  const { apiVersion: _, kind: __, metadata: ___, ...properties } = schema.properties ?? {};
  const result = decodeStructural(content, { ...schema, properties }, '', []);
  if (jsonEqual(result, content)) return object;
  const entries = Object.entries({ apiVersion, kind, metadata, ...mapping(result) });
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1))) as unknown as KubeObject;
}

function withoutDefaults(schema: StructuralSchema): StructuralSchema {
  const { default: _, properties, items, additionalProperties, ...rest } = schema;
  return {
    ...rest,
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, withoutDefaults(each)])),
    }),
    ...(items && { items: withoutDefaults(items) }),
    ...(additionalProperties !== undefined && {
      additionalProperties: isMapping(additionalProperties)
        ? withoutDefaults(additionalProperties as StructuralSchema)
        : additionalProperties,
    }),
  };
}
