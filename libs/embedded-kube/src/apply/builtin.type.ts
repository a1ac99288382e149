import {
  kindTypeName,
  type BuiltinKind,
  type FieldType,
  type TypedField,
  type TypedSchema,
  type TypedStruct,
} from '../typed/typed.schema.js';
import { ATOMIC_TYPES, FIELD_TRAITS } from './merge-traits.data.js';
import type { FieldTraits } from './merge.traits.js';
import { METADATA, METADATA_TYPE, TEMPLATE_METADATA_TYPE } from './metadata.type.js';
import { FREE, type MapType, once, type ValueType } from './value.type.js';

const SCALARS: Readonly<Record<string, ValueType>> = {
  s: { scalar: 'string' },
  b: { scalar: 'boolean' },
  i: { scalar: 'numeric' },
  l: { scalar: 'numeric' },
  d: { scalar: 'numeric' },
  B: { scalar: 'string' },
  T: { scalar: 'any' },
  M: { scalar: 'any' },
  D: { scalar: 'string' },
  /** Returns content that the server does not understand, which is replaced as a whole. */
  R: { map: { atomic: true, field: () => undefined, others: () => FREE } },
  Q: { scalar: 'any' },
  I: { scalar: 'any' },
};

/** The types of the built-in kinds' objects, as server-side apply merges them. */
export class BuiltinTypes {
  private readonly types = new Map<string, ValueType>();

  constructor(private readonly schema: TypedSchema) {}

  /** Returns the type of a kind's objects; for an unknown kind one without a schema. */
  ofKind(kind: BuiltinKind): ValueType {
    const struct = this.schema.ofKind(kind);
    if (!struct)
      return { map: { field: (name) => (name === 'metadata' ? METADATA_TYPE : undefined), others: () => FREE } };
    const type = this.structType(kindTypeName(kind), struct);
    const head: ValueType = { scalar: 'string' };
    const isHead = (field: string): boolean => field === 'apiVersion' || field === 'kind';
    const typeOf = (field: string): ValueType | undefined =>
      isHead(field) ? head : field === 'metadata' ? METADATA_TYPE : type.map!.field(field);
    return { map: { ...type.map!, field: typeOf } };
  }

  private structType(name: string, struct: TypedStruct): ValueType {
    if (name === METADATA) return TEMPLATE_METADATA_TYPE;
    const known = this.types.get(name);
    if (known) return known;
    const fields = new Map(this.fieldsOf(struct).map((field) => [field.name, field]));
    const traits = FIELD_TRAITS[name] ?? {};
    const types = new Map<string, ValueType>();
    const map: MapType = {
      atomic: ATOMIC_TYPES.has(name),
      field: (member) => {
        const field = fields.get(member);
        if (field && !types.has(member)) types.set(member, this.fieldType(field.type, traits[member]));
        return types.get(member);
      },
      others: () => undefined,
    };
    const type = { map };
    this.types.set(name, type);
    return type;
  }

  private fieldType(type: FieldType, traits: FieldTraits = {}): ValueType {
    if (type.kind === 'list') {
      const { keys } = traits;
      const defaults = keys && { ...this.keyDefaults(keys, type.of), ...traits.defaults };
      return {
        list: { ...(keys && { keys }), ...(defaults && { defaults }), items: once(() => this.fieldType(type.of)) },
      };
    }
    if (type.kind === 'map') {
      return {
        map: { atomic: traits.atomic === true, field: () => undefined, others: once(() => this.fieldType(type.of)) },
      };
    }
    const struct = type.of.length > 1 ? this.schema.find(type.of) : undefined;
    if (!struct) return SCALARS[type.of] ?? FREE;
    const inner = this.structType(type.of, struct);
    return traits.atomic === undefined ? inner : { map: { ...inner.map!, atomic: traits.atomic } };
  }

  /** Returns the defaults of keys: a key that an item must have is empty where it is missing. */
  private keyDefaults(keys: readonly string[], item: FieldType): Readonly<Record<string, unknown>> {
    const struct = item.kind === 'value' ? this.schema.find(item.of) : undefined;
    const fields = struct && this.fieldsOf(struct);
    const required = fields?.filter(
      ({ name, optional, omitEmpty }) =>
        keys.includes(name) && !optional && (!omitEmpty || struct?.name === 'LocalObjectReference'),
    );
    return Object.fromEntries(
      (required ?? []).map(({ name, type }) => [name, type.kind === 'value' && /^[il]$/.test(type.of) ? 0 : '']),
    );
  }

  private fieldsOf({ fields }: TypedStruct): TypedField[] {
    return fields.flatMap((field) => {
      const inlined = this.schema.inlined(field);
      return inlined ? this.fieldsOf(inlined) : [field];
    });
  }
}
