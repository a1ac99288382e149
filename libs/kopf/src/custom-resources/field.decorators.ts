import { IsOptional, ValidateBy, validateSync, ValidateIf } from 'class-validator';
import { isMap } from 'kube-common';
import { addField, addToClass, fieldsOf, type FieldMetadata, type FieldType } from './field.metadata.js';

const INT_OR_STRING = 'x-kubernetes-int-or-string';

/** The options of `@Field()`: at most one of them, where the compiler does not emit the type. */
export interface FieldTypeOptions {
  /** The class of the value, if the compiler does not emit it. @default the type of the property */
  readonly type?: FieldType;
  /** The type of the items, if the property is a list: `String`, `Number`, `Boolean`, or a class. */
  readonly listOf?: FieldType;
  /** The type of the values, if the property is a map with any texts as keys: `String`, `Number`, `Boolean`, or a class. */
  readonly mapOf?: FieldType;
}

/**
 * Makes the property a field of the schema, by its type alone. It is required, unless it has `@IsOptional()`. Properties with decorators of
 * class-validator need it only for the type of the items of a list, or of the values of a map.
 *
 * A class that is declared further down in its file, or that contains itself, is given by a function: `() => Disk`.
 *
 * @example
 * @Field() size: string;
 * @Field({ listOf: Disk }) disks: Disk[];
 * @IsOptional() @Field({ mapOf: String }) labels?: Record<string, string>;
 */
export function Field({ type, listOf, mapOf }: FieldTypeOptions = {}): PropertyDecorator {
  return (prototype, property) => {
    const container = listOf ? 'list' : mapOf ? 'map' : undefined;
    addField(prototype, String(property), { type: type ?? listOf ?? mapOf, container });
    hasType(type ?? listOf ?? mapOf, container)(prototype, property);
  };
}

/**
 * Sets the value that the API server writes where the field is absent; the field is optional then.
 *
 * @example
 * @Default(1) @IsInt() replicas: number;
 */
export function Default(value: unknown): PropertyDecorator {
  return (prototype, property) => {
    addField(prototype, String(property), { keywords: { default: value } });
    IsOptional()(prototype, property);
  };
}

/** Allows `null` as a value of the field. Without it, the API server treats `null` like an absent field. */
export function Nullable(): PropertyDecorator {
  return (prototype, property) => {
    addField(prototype, String(property), { keywords: { nullable: true } });
    ValidateIf(isNotNull)(prototype, property);
  };
}

/**
 * The condition by which class-validator skips the `null` of a `@Nullable()` property; recognised by its identity, as other conditions
 * cannot be expressed in a schema.
 */
export function isNotNull(_object: unknown, value: unknown): boolean {
  return value !== null;
}

/**
 * Declares that the field is a number or a text, like ports and percentages: `8080`, `'http'`, `'25%'`. For a list or a map, it is about
 * the items or values.
 *
 * @example
 * @IntOrString() port: number | string;
 * @IntOrString() @Field({ mapOf: String }) limits: Record<string, number | string>;
 */
export function IntOrString(): PropertyDecorator {
  return (prototype, property) => {
    addField(prototype, String(property), { keywords: { 'x-kubernetes-int-or-string': true } });
    ValidateBy({
      name: 'intOrString',
      validator: {
        validate: (value) => everyValue(value, containerOf(prototype, property), isIntOrString),
        defaultMessage: (args) => {
          const container = containerOf(prototype, property);
          const kind = container ? `a ${container} of whole numbers or strings` : 'a whole number or a string';
          return `${args!.property} must be ${kind}`;
        },
      },
    })(prototype, property);
  };
}

function isIntOrString(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'bigint' || Number.isInteger(value);
}

/** Returns the container of a property, which a decorator above the caller may declare. */
function containerOf(prototype: object, property: string | symbol): FieldMetadata['container'] {
  const said = fieldsOf(prototype).get(String(property))?.container;
  return said ?? (Reflect.getMetadata('design:type', prototype, property) === Array ? 'list' : undefined);
}

function everyValue(
  value: unknown,
  container: FieldMetadata['container'],
  isValid: (value: unknown) => boolean,
): boolean {
  if (container === 'list') return Array.isArray(value) && value.every(isValid);
  if (container === 'map') return isMap(value) && Object.values(value).every(isValid);
  return isValid(value);
}

/**
 * Declares how server-side apply merges a list: as one value (`atomic`), as a set of values, or by the keys of its objects.
 *
 * @example
 * @ListType('map', ['name']) @ValidateNested({ each: true }) @Type(() => Disk) disks: Disk[];
 */
export function ListType(type: 'atomic' | 'set'): PropertyDecorator;
export function ListType(type: 'map', keys: readonly string[]): PropertyDecorator;
export function ListType(type: 'atomic' | 'set' | 'map', keys?: readonly string[]): PropertyDecorator {
  return (prototype, property) => {
    const listed = keys && { 'x-kubernetes-list-map-keys': [...keys] };
    addField(prototype, String(property), { keywords: { 'x-kubernetes-list-type': type, ...listed } });
  };
}

/**
 * Declares that the API server keeps fields of the object that its class does not have; without a class, all fields. Otherwise, it removes
 * them.
 */
export function PreserveUnknownFields(): PropertyDecorator {
  return (prototype, property) => {
    const keywords = { 'x-kubernetes-preserve-unknown-fields': true };
    addField(prototype, String(property), { keywords });
    isObjectValue(prototype, property);
  };
}

/** Declares that the field is a whole Kubernetes object of any kind: with `apiVersion`, `kind`, and optionally `metadata`. */
export function EmbeddedResource(): PropertyDecorator {
  return (prototype, property) => {
    const keywords = { 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true };
    addField(prototype, String(property), { keywords });
    ValidateBy({
      name: 'embeddedResource',
      validator: {
        validate: (value) => everyValue(value, containerOf(prototype, property), isWholeObject),
        defaultMessage: (args) => {
          const container = containerOf(prototype, property);
          const kind = container ? `a ${container} of whole objects` : 'a whole object';
          return `${args!.property} must be ${kind}, with apiVersion and kind`;
        },
      },
    })(prototype, property);
  };
}

/** Checks what the API server requires of embedded objects, except for the names and labels in their metadata. */
function isWholeObject(value: unknown): boolean {
  if (!isMap(value)) return false;
  const { apiVersion, kind, metadata } = value;
  const hasType = [apiVersion, kind].every((text) => typeof text === 'string' && text !== '');
  return hasType && (metadata === undefined || isMap(metadata));
}

/**
 * Adds a description of the field, or of all objects of the class, for `kubectl explain`.
 *
 * @example
 * @Description('The size of the volume, such as 1Gi.') @IsString() size: string;
 */
export function Description(text: string): PropertyDecorator & ClassDecorator {
  return (target: object, property?: string | symbol) => {
    if (property === undefined) addToClass(target as Function, { description: text });
    else addField(target, String(property), { keywords: { description: text } });
  };
}

const isObjectValue: PropertyDecorator = (prototype, property) =>
  ValidateBy({
    name: 'anyObject',
    validator: {
      validate: (value) => everyValue(value, containerOf(prototype, property), isMap),
      defaultMessage: (args) => {
        const container = containerOf(prototype, property);
        return `${args!.property} must be ${container ? `a ${container} of objects` : 'an object'}`;
      },
    },
  })(prototype, property);

/** Adds a rule by which class-validator checks the type of a field, as the API server does. */
function hasType(given: FieldType | undefined, container: FieldMetadata['container']): PropertyDecorator {
  return (prototype, property) => {
    const emitted = Reflect.getMetadata('design:type', prototype, property) as Function | undefined;
    const type = given ?? emitted ?? Object;
    // Fields of numbers or texts have their own rule, which a rule for one of the types would contradict.
    const isFree = (): boolean => fieldsOf(prototype).get(String(property))?.keywords?.[INT_OR_STRING] === true;
    const isValid = (value: unknown): boolean =>
      isFree() || everyValue(value, container, (each) => isOfType(each, type));
    ValidateBy({
      name: 'field',
      validator: {
        validate: isValid,
        defaultMessage: (args) => `${args!.property} must be ${describeType(type, container)}`,
      },
    })(prototype, property);
  };
}

function isOfType(value: unknown, type: FieldType): boolean {
  if (type === String) return typeof value === 'string';
  if (type === Number) return typeof value === 'number';
  if (type === Boolean) return typeof value === 'boolean';
  if (type === Array || type === Object) return value !== undefined && value !== null;
  if (!isMap(value)) return false;
  const instance = Object.assign(Object.create(classOf(type).prototype as object) as object, value);
  return validateSync(instance, { forbidUnknownValues: false }).length === 0;
}

function describeType(type: FieldType, container: FieldMetadata['container']): string {
  const one = [String, Number, Boolean].includes(type as never)
    ? type.name.toLowerCase()
    : `valid ${classOf(type).name}`;
  return container ? `a ${container} of ${one}s` : `a ${one}`;
}

/** Resolves a class that is given by a function: only arrow functions have no prototype. */
export function classOf(type: FieldType): Function {
  return type.prototype === undefined ? (type as () => Function)() : type;
}
