import { errorText } from 'kube-common';
import { classOf } from '../field.decorators.js';
import type { FieldMetadata } from '../field.metadata.js';
import { findComment } from '../source.comments.js';
import { findTransformedType } from './nested.types.js';
import { propertiesOf, type PropertyRule, type PropertyRules } from './property.rules.js';
import type { SchemaErrors } from './schema.errors.js';
import type { SchemaNode } from './schema.node.js';
import { applyRule, decoratorOf, typeOfRule } from './validator.rules.js';

/**
 * Creates the schema of one property of a class.
 *
 * @param nest creates the schema of the class of its values.
 */
export function createFieldSchema(
  type: Function,
  property: PropertyRules,
  errors: SchemaErrors,
  nest: (type: Function) => SchemaNode,
): SchemaNode {
  return new FieldSchema(type, property, errors, nest).create();
}

/** The keywords that are about a value, and not about the field that contains it. */
type ValueKeywords = Readonly<
  Pick<
    SchemaNode,
    'x-kubernetes-int-or-string' | 'x-kubernetes-preserve-unknown-fields' | 'x-kubernetes-embedded-resource'
  >
>;

const VALUE_KEYWORDS = new Set<string>([
  'x-kubernetes-int-or-string',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-embedded-resource',
]);

const PRIMITIVES = new Map<Function, SchemaNode['type']>([
  [String, 'string'],
  [Number, 'number'],
  [Boolean, 'boolean'],
]);

/** Separates the keywords of each value from those of the field: lists and maps have two schemas. */
function splitKeywords({ keywords = {} }: FieldMetadata): {
  ofField: Readonly<Partial<SchemaNode>>;
  ofValue: ValueKeywords;
} {
  const entries = Object.entries(keywords);
  return {
    ofField: Object.fromEntries(entries.filter(([name]) => !VALUE_KEYWORDS.has(name))),
    ofValue: Object.fromEntries(entries.filter(([name]) => VALUE_KEYWORDS.has(name))),
  };
}

class FieldSchema {
  private readonly place: string;

  constructor(
    private readonly type: Function,
    private readonly property: PropertyRules,
    private readonly errors: SchemaErrors,
    private readonly nest: (type: Function) => SchemaNode,
  ) {
    this.place = `${type.name}.${property.name}`;
  }

  create(): SchemaNode {
    const { field, rules, isConditional } = this.property;
    if (isConditional) {
      const advice = 'say it with @CelRule(), or with @Nullable() if it is about null';
      this.errors.add(`${this.place} (@ValidateIf)`, `a schema cannot depend on a function; ${advice}`);
    }
    const { ofField, ofValue } = splitKeywords(field);
    this.checkRules();
    const node = this.createValue(ofValue);
    if (ofField['x-kubernetes-list-type'] && node.type !== 'array') {
      this.errors.add(`${this.place} (@ListType)`, 'it is no list; remove the decorator, or say @Field({ listOf: … })');
    }
    this.apply(
      node,
      rules.filter(({ each }) => !each),
    );
    const description = findComment(this.type, this.property.name);
    Object.assign(node, description !== undefined && { description }, ofField);
    if (field.rules?.length) node['x-kubernetes-validations'] = field.rules.map((rule) => ({ ...rule }));
    return ordered(node);
  }

  private createValue(keywords: ValueKeywords): SchemaNode {
    const { field, rules } = this.property;
    if (this.isList) {
      const items = this.createItem(
        rules.filter(({ each }) => each),
        keywords,
      );
      return { type: 'array', items };
    }
    if (field.container === 'map') return { type: 'object', additionalProperties: this.createItem([], keywords) };
    const node = this.createOne(rules, this.valueType, keywords);
    if (node) return node;
    this.errors.add(this.place, `its type is not known${this.emittedType}; ${adviceOnTypes(false)}`);
    return {};
  }

  private createItem(rules: readonly PropertyRule[], keywords: ValueKeywords): SchemaNode {
    const node = this.createOne(rules, this.itemType, keywords);
    if (!node) {
      const what = this.isList ? 'the type of its items is' : 'the type of its values is';
      this.errors.add(this.place, `${what} not known; ${adviceOnTypes(true)}`);
      return {};
    }
    this.apply(node, rules);
    return ordered(node);
  }

  /** Creates the schema of one value: of the property itself, or of each item or value in it. */
  private createOne(
    rules: readonly PropertyRule[],
    type: Function | undefined,
    keywords: ValueKeywords,
  ): SchemaNode | undefined {
    if (keywords['x-kubernetes-int-or-string']) {
      this.checkIntOrString(type);
      return { ...keywords };
    }
    const node = this.typed(rules, type, keywords);
    const isFree = node?.type === 'object' && !node.properties && !node.additionalProperties;
    // Without any field, the API server would remove the whole content.
    if (isFree) return { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, ...keywords };
    if (node) return { ...node, ...keywords };
    return keywords['x-kubernetes-preserve-unknown-fields'] ? { type: 'object', ...keywords } : undefined;
  }

  private checkIntOrString(type: Function | undefined): void {
    if (type === undefined || [String, Number, Object, Array].includes(type as never)) return;
    const text = `no value is both a ${classOf(type).name} and a number or a text; remove one of the decorators`;
    this.errors.add(`${this.place} (@IntOrString)`, text);
  }

  /** Finds rules for single values on lists or maps, which no list and no map could satisfy. */
  private checkRules(): void {
    const { field, rules } = this.property;
    const isMap = field.container === 'map';
    if (!isMap && !this.isList) return;
    for (const { name, constraints, each } of rules) {
      const type = typeOfRule(name, constraints);
      const isFitting = type === undefined || type === (isMap ? 'object' : 'array');
      if (each ? !isMap : isFitting) continue;
      const text = isMap
        ? 'class-validator has no rules for the values of maps; give them a class with @Field({ mapOf: … })'
        : 'it is for one value, and the property is a list; say it of the items: { each: true }';
      this.errors.add(`${this.place} (${decoratorOf(name)})`, text);
    }
    const given = field.type && PRIMITIVES.get(field.type);
    const required = this.requiredType(rules.filter(({ each }) => each));
    if (!given || !required || given === required || (given === 'number' && required === 'integer')) return;
    this.errors.add(this.place, `no item is both ${given} and ${required}; remove one of the decorators`);
  }

  private get isList(): boolean {
    const { field, rules, emitted, isNestedList } = this.property;
    if (field.container) return field.container === 'list';
    return (
      emitted === Array ||
      isNestedList ||
      rules.some(({ each }) => each) ||
      rules.some(({ name, constraints }) => typeOfRule(name, constraints) === 'array')
    );
  }

  /** The class or the primitive type of the value, from the most specific source. */
  private get valueType(): Function | undefined {
    const { field, emitted, name } = this.property;
    return field.type ?? findTransformedType(this.type, name, false) ?? emitted;
  }

  private get itemType(): Function | undefined {
    const { field, name } = this.property;
    return field.type ?? (this.isList ? findTransformedType(this.type, name, true) : undefined);
  }

  private get emittedType(): string {
    const { emitted } = this.property;
    if (!emitted) return ', as the compiler emits no types (emitDecoratorMetadata)';
    return emitted === Object ? ', as the compiler emits none for unions and interfaces' : '';
  }

  /** Creates the schema of a type; the types that rules require are more exact than those of the compiler. */
  private typed(
    rules: readonly PropertyRule[],
    type: Function | undefined,
    keywords: Readonly<Partial<SchemaNode>>,
  ): SchemaNode | undefined {
    const required = this.requiredType(rules);
    const isScalar = required !== undefined && required !== 'object' && required !== 'array';
    if (isScalar) return { type: required };
    if (type === String) return { type: 'string' };
    if (type === Number) return { type: 'number' };
    if (type === Boolean) return { type: 'boolean' };
    if (type === Date) return { type: 'string', format: 'date-time' };
    if (type !== undefined && type !== Object && type !== Array) return this.nested(classOf(type), keywords);
    return required === 'object' ? { type: 'object' } : undefined;
  }

  private nested(type: Function, keywords: Readonly<Partial<SchemaNode>>): SchemaNode | undefined {
    if (type === String || type === Number || type === Boolean || type === Date) return this.typed([], type, {});
    const isOpen = keywords['x-kubernetes-preserve-unknown-fields'] === true;
    if (!isOpen && propertiesOf(type).length === 0) {
      const advice = 'put @Field() on them, or @PreserveUnknownFields() on the property';
      this.errors.add(this.place, `no property of its class ${type.name} has a decorator; ${advice}`);
      return { type: 'object' };
    }
    return this.nest(type);
  }

  /** Finds the type that all rules require; an integer is a number, too. */
  private requiredType(rules: readonly PropertyRule[]): SchemaNode['type'] {
    let found: { readonly type: SchemaNode['type']; readonly name: string } | undefined;
    for (const { name, constraints } of rules) {
      const type = typeOfRule(name, constraints);
      if (type === undefined || type === found?.type) continue;
      const isNarrower = found?.type === 'number' && type === 'integer';
      const isWider = found?.type === 'integer' && type === 'number';
      if (!found || isNarrower) found = { type, name };
      else if (!isWider) {
        const decorators = `${decoratorOf(found.name)}, ${decoratorOf(name)}`;
        const text = `no value is both ${found.type} and ${type}; remove one of the decorators`;
        this.errors.add(`${this.place} (${decorators})`, text);
      }
    }
    return found?.type;
  }

  private apply(node: SchemaNode, rules: readonly PropertyRule[]): void {
    for (const { name, constraints } of rules) {
      try {
        applyRule(node, name, constraints);
      } catch (error) {
        this.errors.add(
          `${this.place} (${decoratorOf(name)})`,
          `the pattern has ${errorText(error)}; write it without, or as a rule with @CelRule()`,
        );
      }
    }
  }
}

function adviceOnTypes(isItem: boolean): string {
  return isItem
    ? 'say it with @Field({ listOf: … }) or @Field({ mapOf: … }), with @Type() of class-transformer, or with a rule such as @IsString({ each: true })'
    : 'say it with @Field({ type: … }) or a rule such as @IsString(); @PreserveUnknownFields() keeps any object, @IntOrString() both numbers and texts';
}

/** Orders the keywords for readers of manifests, the most important ones first. */
function ordered(node: SchemaNode): SchemaNode {
  const { description, type, format, ...rest } = node;
  return {
    ...(description !== undefined && { description }),
    ...(type !== undefined && { type }),
    ...(format !== undefined && { format }),
    ...rest,
  };
}
