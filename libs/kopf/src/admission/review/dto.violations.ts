import { getMetadataStorage } from 'class-validator';
import type { Instantiation } from './dto.validator.js';

/**
 * Finds the fields whose own rules would never be checked: those that are to be validated as objects of another class,
 * but stay what they were in JSON, as nothing says what class that is.
 *
 * @returns the fields, as `MachineSpec.disks`; also those of nested classes.
 */
export function findDtoViolations(
  type: new () => object,
  instantiate: Instantiation,
  seen = new Set<unknown>(),
): readonly string[] {
  if (seen.has(type)) return [];
  seen.add(type);
  return listNested(type).flatMap(({ field, isList }) => {
    const value = probe(type, instantiate, field, isList);
    if (value === undefined) return [];
    const { constructor } = value;
    return constructor === Object
      ? [`${type.name}.${field}`]
      : findDtoViolations(constructor as never, instantiate, seen);
  });
}

function listNested(type: new () => object): { readonly field: string; readonly isList: boolean }[] {
  return getMetadataStorage()
    .getTargetValidationMetadatas(type, '', false, false)
    .filter((rule) => rule.type === 'nestedValidation')
    .map(({ propertyName, each }) => ({ field: propertyName, isList: each }));
}

/** Instantiates an object in a field, to see its class; `undefined` if it cannot be told from an empty one. */
function probe(type: new () => object, instantiate: Instantiation, field: string, isList: boolean): object | undefined {
  try {
    const made = instantiate(type, { [field]: isList ? [{}] : {} }) as Record<string, unknown>;
    const value = isList ? [...(made[field] as Iterable<unknown>)][0] : made[field];
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
