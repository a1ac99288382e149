import { deepEqual, errorText, isMap, type JsonMap, setKey } from 'kube-common';
import { toJsonValue } from '../../objects/json-values.js';
import type { PropertyRules } from './property.rules.js';
import type { SchemaErrors } from './schema.errors.js';
import type { SchemaNode } from './schema.node.js';

/** Two instances of a class, after its constructor. */
type Instances = readonly [Readonly<JsonMap>, Readonly<JsonMap>];

/** The initial values of the properties of a class: `quantity = 0`. */
export class InitialValues {
  private readonly instances: Instances | undefined;

  constructor(private readonly type: Function) {
    this.instances = instantiate(type);
  }

  /** Sets the initial value of a property as the default in its schema, unless it has `@Default()`. */
  addTo(node: SchemaNode, { name, field, isOptional }: PropertyRules, errors: SchemaErrors): void {
    if (!this.instances || field.keywords?.default !== undefined) return;
    const [value, again] = this.instances.map((instance) => instance[name]);
    if (value === undefined || (value === null && isOptional && !node.nullable)) return;
    const problem = findProblem(value, again, node);
    if (problem) {
      const advice = 'say with @Default() what the API server writes where the field is absent';
      errors.add(`${this.type.name}.${name}`, `its initial value ${problem}; ${advice}`);
    } else node.default = declared(toJsonValue(value, name), node);
  }
}

function instantiate(type: Function): Instances | undefined {
  try {
    const Type = type as new () => JsonMap;
    return [new Type(), new Type()];
  } catch {
    // The constructor needs what only the application has. Then class-transformer cannot create instances, either.
    return undefined;
  }
}

/** Explains why an initial value cannot be a default; the text completes `its initial value …`. */
function findProblem(value: unknown, again: unknown, node: SchemaNode): string | undefined {
  if (value === null && !node.nullable)
    return 'is null, which the API server takes for an absent field without @Nullable()';
  try {
    const json = toJsonValue(value, 'it');
    if (hasDate(value)) return 'has a date of its own in each object';
    if (!deepEqual(json, toJsonValue(again, 'it'))) return 'is another one in each object';
    const missing = findMissing(json, node);
    return missing && `lacks the required ${missing}`;
  } catch (error) {
    return `cannot be written into a CRD: ${errorText(error)}`;
  }
}

/** Checks for dates, which are nearly always the current time. */
function hasDate(value: unknown): boolean {
  if (value instanceof Date) return true;
  return typeof value === 'object' && value !== null && Object.values(value).some(hasDate);
}

/** Finds a required field that a default does not have. */
function findMissing(value: unknown, node: SchemaNode): string | undefined {
  if (Array.isArray(value)) return findFirst(value.map((item) => findMissing(item, node.items ?? {})));
  if (!isMap(value)) return undefined;
  const missing = node.required?.find((name) => value[name] === undefined);
  const { properties = {}, additionalProperties } = node;
  const inner = Object.keys(value).map((name) =>
    findMissing(value[name], properties[name] ?? additionalProperties ?? {}),
  );
  return missing ?? findFirst(inner);
}

function findFirst(found: readonly (string | undefined)[]): string | undefined {
  return found.find((name) => name !== undefined);
}

/** Removes fields that the schema does not declare, as API servers reject defaults with unknown fields. */
function declared(value: unknown, node: SchemaNode): unknown {
  if (Array.isArray(value)) return value.map((item) => declared(item, node.items ?? {}));
  if (!isMap(value)) return value;
  const { properties, additionalProperties } = node;
  const isOpen = node['x-kubernetes-preserve-unknown-fields'] === true;
  const result: JsonMap = {};
  for (const name of Object.keys(value)) {
    const inner = properties?.[name] ?? additionalProperties;
    if (inner || isOpen) setKey(result, name, declared(value[name], inner ?? OPEN));
  }
  return result;
}

const OPEN: SchemaNode = { 'x-kubernetes-preserve-unknown-fields': true };
