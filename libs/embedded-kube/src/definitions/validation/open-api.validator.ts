import {
  type FieldError,
  forbiddenField,
  invalidField,
  requiredField,
  unsupportedField,
} from '../../errors/field.error.js';
import { validateLists } from './list.validator.js';
import { asSchema, isSet, isTrue, listedSchemas, namedSchemas, type RawSchema, typeOf } from './schema.nodes.js';
import { checkRuleTexts } from './rule.texts.js';
import { checkRules, type RuleContext } from './rule.checker.js';

const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
const HEAD = new Set(['metadata', 'kind', 'apiVersion']);

/** Fields that JSON Schema has and definitions must not have. */
const UNSUPPORTED = ['additionalItems', 'patternProperties', 'definitions', 'dependencies', '$ref'];

/** One place in a schema, with the rules that depend on where it is. */
interface Place {
  readonly path: string;
  readonly isRoot: boolean;
  readonly isInsideMeta: boolean;
  /** The reason why there must be no defaults; absent where there may be. */
  readonly noDefaults?: string;
  /** The part of the schema within which old and new values cannot be matched. */
  readonly uncorrelated?: string;
  /** Absent where rules are not compiled. */
  readonly rules?: RuleContext | undefined;
}

/** The violations of one schema and all schemas in it. */
export interface SchemaViolations {
  readonly schema: FieldError[];
  readonly rules: FieldError[];
}

/**
 * Checks what holds for all schemas of definitions, structural or not, and the rules in them.
 *
 * @param rules absent if rules are not to be compiled, as the schema is wrong anyway
 */
export function validateOpenApi(schema: RawSchema, path: string, rules: RuleContext | undefined): SchemaViolations {
  return validate(schema, { path, isRoot: true, isInsideMeta: false, rules });
}

function validate(schema: RawSchema, place: Place): SchemaViolations {
  const found: SchemaViolations = { schema: checkFields(schema, place), rules: [] };
  const visit = (child: RawSchema | undefined, suffix: string, change: Partial<Place> = {}): void => {
    if (!child) return;
    const path = `${place.path}.${suffix}`;
    const nested = validate(child, { ...place, isRoot: false, rules: undefined, ...change, path });
    found.schema.push(...nested.schema);
    found.rules.push(...nested.rules);
  };
  visitAdditional(schema, place, found, visit);
  visitProperties(schema, place, visit);
  visit(asSchema(schema['not']), 'not');
  for (const junctor of ['allOf', 'oneOf', 'anyOf']) {
    listedSchemas(schema[junctor]).forEach((each, index) => visit(each, `${junctor}[${index}]`));
  }
  for (const [name, each] of namedSchemas(schema['definitions'])) visit(each, `definitions[${name}]`);
  const uncorrelated =
    schema['x-kubernetes-list-type'] === 'map' ? place.uncorrelated : (place.uncorrelated ?? place.path);
  const items = asSchema(schema['items']);
  visit(items, 'items', {
    ...(uncorrelated !== undefined && { uncorrelated }),
    rules: items && place.rules?.items(items),
  });
  found.schema.push(...checkMapType(schema, place.path), ...validateLists(schema, place.path));
  found.schema.push(...checkRuleTexts(schema, place.path));
  // Rules are compiled only where the schema is right, as their messages would mislead otherwise.
  if (found.schema.length === 0 && place.rules) {
    found.rules.push(...checkRules(place.rules, place.path, place.uncorrelated));
  }
  return found;
}

type Visit = (child: RawSchema | undefined, suffix: string, change?: Partial<Place>) => void;

function visitAdditional(schema: RawSchema, place: Place, found: SchemaViolations, visit: Visit): void {
  const additional = schema['additionalProperties'];
  if (additional === undefined || additional === null) return;
  if (isSet(schema['properties']) && additional !== true) {
    const rule = 'additionalProperties and properties are mutual exclusive';
    found.schema.push(forbiddenField(`${place.path}.additionalProperties`, rule));
  }
  const nested = asSchema(additional);
  const noDefaults = place.isInsideMeta && { noDefaults: 'inside additionalProperties applying to object metadata' };
  visit(nested, 'additionalProperties', { ...noDefaults, rules: nested && place.rules?.members(nested) });
}

function visitProperties(schema: RawSchema, place: Place, visit: Visit): void {
  const isObject = place.isRoot || isTrue(schema['x-kubernetes-embedded-resource']);
  for (const [name, property] of namedSchemas(schema['properties'])) {
    const isHead = isObject && HEAD.has(name);
    visit(property, `properties[${name}]`, {
      ...(isHead && { isInsideMeta: true }),
      ...(isHead && place.isRoot && { noDefaults: `in top-level ${name}` }),
      rules: place.rules?.property(property, name),
    });
  }
}

function checkFields(schema: RawSchema, { path, noDefaults, isInsideMeta }: Place): FieldError[] {
  const errors: FieldError[] = [];
  const type = typeOf(schema);
  if (type && !TYPES.includes(type)) errors.push(unsupportedField(`${path}.type`, type, TYPES));
  if (schema['default'] !== undefined && noDefaults !== undefined) {
    errors.push(forbiddenField(`${path}.default`, `must not be set ${noDefaults}`));
  }
  if (isSet(schema['id'])) errors.push(forbiddenField(`${path}.id`, 'id is not supported'));
  for (const name of UNSUPPORTED) {
    const value = schema[name];
    const isThere =
      name === 'dependencies' || name === '$ref' || name === 'additionalItems'
        ? value !== undefined && value !== null
        : isSet(value);
    if (isThere) errors.push(forbiddenField(`${path}.${name}`, `${name} is not supported`));
  }
  if (type === 'null') {
    errors.push(forbiddenField(`${path}.type`, 'type cannot be set to null, use nullable as an alternative'));
  }
  if (Array.isArray(schema['items']) && schema['items'].length > 0) {
    errors.push(forbiddenField(`${path}.items`, 'items must be a schema object and not an array'));
  }
  if (isInsideMeta && isTrue(schema['x-kubernetes-embedded-resource'])) {
    errors.push(forbiddenField(`${path}.x-kubernetes-embedded-resource`, 'must not be used inside of resource meta'));
  }
  if (isTrue(schema['uniqueItems'])) {
    const rule = 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic';
    errors.push(forbiddenField(`${path}.uniqueItems`, rule));
  }
  return errors;
}

function checkMapType(schema: RawSchema, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
    errors.push(invalidField(`${path}.x-kubernetes-preserve-unknown-fields`, false, 'must be true or undefined'));
  }
  const mapType = schema['x-kubernetes-map-type'];
  if (mapType === undefined || mapType === null) return errors;
  const type = typeOf(schema);
  if (type !== 'object') {
    const rule = 'must be object if x-kubernetes-map-type is specified';
    errors.push(type ? invalidField(`${path}.type`, type, rule) : requiredField(`${path}.type`, rule));
  }
  if (mapType !== 'atomic' && mapType !== 'granular') {
    errors.push(unsupportedField(`${path}.x-kubernetes-map-type`, mapType, ['atomic', 'granular']));
  }
  return errors;
}
