import type { SchemaNode, ValidationRule } from './schema/schema.node.js';
import { findComment } from './source.comments.js';

/**
 * The type of the values of a field: `String`, `Number`, `Boolean`, a class, or a function that returns a class which is declared later.
 */
export type FieldType = Function;

/** The metadata that the decorators of this folder add to one property, beside those of class-validator. */
export interface FieldMetadata {
  /** The type of the property, or of the values of a list or map. */
  readonly type?: FieldType;
  /** Whether the property is a list or a map of values of the type. @default none, the property has one value */
  readonly container?: 'list' | 'map';
  /** Keywords of the schema that are set as they are. */
  readonly keywords?: Readonly<Partial<SchemaNode>>;
  readonly rules?: readonly ValidationRule[];
  readonly isImmutable?: boolean;
}

/** The metadata that the decorators of this folder add to a class, whether it describes whole objects or values of fields. */
export interface ClassMetadata {
  readonly description?: string;
  readonly rules?: readonly ValidationRule[];
}

const FIELDS = 'nestjs-kopf:fields';
const CLASS = 'nestjs-kopf:class';

/** Adds metadata to a property. Decorators further up override, as they are applied later. */
export function addField(prototype: object, property: string, field: FieldMetadata): void {
  const fields = (Reflect.getOwnMetadata(FIELDS, prototype) as Map<string, FieldMetadata> | undefined) ?? new Map();
  const known = fields.get(property) ?? {};
  fields.set(property, {
    ...known,
    ...field,
    keywords: { ...known.keywords, ...field.keywords },
    rules: [...(field.rules ?? []), ...(known.rules ?? [])],
  });
  Reflect.defineMetadata(FIELDS, fields, prototype);
}

/** Collects the properties with decorators of this folder, those of base classes first. */
export function fieldsOf(prototype: object | null): ReadonlyMap<string, FieldMetadata> {
  if (prototype === null) return new Map();
  const inherited = fieldsOf(Object.getPrototypeOf(prototype) as object | null);
  const own = (Reflect.getOwnMetadata(FIELDS, prototype) as ReadonlyMap<string, FieldMetadata> | undefined) ?? [];
  return new Map([...inherited, ...own]);
}

/** Adds metadata to a class. */
export function addToClass(type: Function, { description, rules = [] }: ClassMetadata): void {
  const known = Reflect.getOwnMetadata(CLASS, type) as ClassMetadata | undefined;
  const merged: ClassMetadata = {
    description: description ?? known?.description,
    rules: [...rules, ...(known?.rules ?? [])],
  };
  Reflect.defineMetadata(CLASS, merged, type);
}

/** Collects the metadata of a class, including the rules of base classes. */
export function classMetadataOf(type: Function): ClassMetadata {
  const base = Object.getPrototypeOf(type) as Function | null;
  const inherited: ClassMetadata = base && base !== Function.prototype ? classMetadataOf(base) : {};
  const own = Reflect.getOwnMetadata(CLASS, type) as ClassMetadata | undefined;
  return {
    description: own?.description ?? findComment(type) ?? inherited.description,
    rules: [...(inherited.rules ?? []), ...(own?.rules ?? [])],
  };
}
