import { classMetadataOf } from '../field.metadata.js';
import { escapeField } from './cel.names.js';
import { createFieldSchema } from './field.schema.js';
import { InitialValues } from './initial.values.js';
import { propertiesOf, type PropertyRules } from './property.rules.js';
import type { SchemaErrors } from './schema.errors.js';
import type { SchemaNode, ValidationRule } from './schema.node.js';

/**
 * Creates the schema of a class from its properties with decorators.
 *
 * @param parents the classes that contain it, as schemas of custom resources cannot refer to themselves.
 * @param ignored properties that are no fields.
 */
export function createClassSchema(
  type: Function,
  errors: SchemaErrors,
  parents: readonly Function[] = [],
  ignored: readonly string[] = [],
): SchemaNode {
  const { description, rules = [] } = classMetadataOf(type);
  const node: SchemaNode = { type: 'object', ...(description !== undefined && { description }) };
  if (parents.includes(type)) {
    const way = [...parents.slice(parents.indexOf(type)), type].map(({ name }) => name).join(' > ');
    errors.add(
      type.name,
      `the class contains itself (${way}), which CRDs do not allow; put @PreserveUnknownFields() on a property without the class`,
    );
    return node;
  }
  const properties = propertiesOf(type).filter(({ name }) => !ignored.includes(name));
  const presence: ValidationRule[] = [];
  const initial = new InitialValues(type);
  const nest = (nested: Function): SchemaNode => createClassSchema(nested, errors, [...parents, type]);
  for (const property of properties) {
    const field = createFieldSchema(type, property, errors, nest);
    initial.addTo(field, property, errors);
    (node.properties ??= {})[property.name] = field;
    if (field.default !== undefined) continue;
    if (property.isOptional) presence.push(...keepPresence(property));
    else (node.required ??= []).push(property.name);
  }
  const all = [...rules, ...presence];
  if (all.length > 0) node['x-kubernetes-validations'] = all.map((rule) => ({ ...rule }));
  return node;
}

/**
 * Creates the rule by which the object around an immutable field rejects that it is added or removed: a rule on the field itself is not
 * evaluated for an absent value.
 */
function keepPresence({ name, field }: PropertyRules): ValidationRule[] {
  if (!field.isImmutable) return [];
  const path = escapeField(name);
  return [{ rule: `has(self.${path}) == has(oldSelf.${path})`, message: `${name} is immutable` }];
}
