import { getMetadataStorage } from 'class-validator';
import { isNotNull } from '../field.decorators.js';
import { fieldsOf, type FieldMetadata } from '../field.metadata.js';

/** A rule of class-validator on a property. */
export interface PropertyRule {
  readonly name: string;
  readonly constraints: readonly unknown[];
  /** Whether the rule is for the items of a list. */
  readonly each: boolean;
}

/** The rules of all decorators on one property, and its type from the compiler. */
export interface PropertyRules {
  readonly name: string;
  readonly rules: readonly PropertyRule[];
  readonly field: FieldMetadata;
  readonly isOptional: boolean;
  readonly isNested: boolean;
  readonly isNestedList: boolean;
  /** Whether a condition of `@ValidateIf()` decides about the rules, which no schema can express. */
  readonly isConditional: boolean;
  /** The type that the compiler emits, with `emitDecoratorMetadata`. */
  readonly emitted: Function | undefined;
}

/** Collects the properties of a class that have decorators, those of base classes first, in the order in which they are written. */
export function propertiesOf(type: Function): readonly PropertyRules[] {
  const metadata = getMetadataStorage().getTargetValidationMetadatas(type, '', true, false);
  const fields = fieldsOf(type.prototype as object);
  const names = orderOf(type, [...metadata.map(({ propertyName }) => propertyName), ...fields.keys()]);
  return names.map((name) => {
    const all = metadata.filter(({ propertyName }) => propertyName === name);
    const conditions = all.filter((rule) => rule.type === 'conditionalValidation');
    const nested = all.filter((rule) => rule.type === 'nestedValidation');
    const isOptional = conditions.some((rule) => rule.name === 'isOptional');
    return {
      name,
      // Decorators are applied from the lowest to the topmost one.
      rules: all
        .filter((rule) => rule.type === 'customValidation' || rule.type === 'isDefined')
        .map((rule) => ({ name: rule.name ?? '', constraints: rule.constraints ?? [], each: rule.each }))
        .reverse(),
      field: fields.get(name) ?? {},
      isOptional,
      isNested: nested.length > 0,
      isNestedList: nested.some(({ each }) => each),
      isConditional: conditions.some((rule) => rule.name !== 'isOptional' && rule.constraints[0] !== isNotNull),
      emitted: Reflect.getMetadata('design:type', type.prototype as object, name) as Function | undefined,
    };
  });
}

/** Orders the properties: those of base classes first, those of each class in the order of its source. */
function orderOf(type: Function, found: readonly string[]): readonly string[] {
  const base = Object.getPrototypeOf(type) as Function | null;
  const inherited = base && base !== Function.prototype ? propertiesOf(base).map(({ name }) => name) : [];
  return [...new Set([...inherited, ...found])];
}
