import { createRequire } from 'node:module';

/** A function that creates an instance of a class from plain values, as `plainToInstance` of class-transformer does. */
type Instantiation = (type: Function, plain: object) => object;

let instantiation: Instantiation | undefined;

/**
 * Finds the class that `@Type()` of class-transformer gives a property, by creating an instance: class-transformer has no public function
 * for it.
 *
 * @returns `undefined` if class-transformer is not installed, or the property has no `@Type()`.
 */
export function findTransformedType(type: Function, property: string, isList: boolean): Function | undefined {
  const instantiate = (instantiation ??= load());
  try {
    const made = instantiate(type, { [property]: isList ? [{}] : {} }) as Record<string, unknown>;
    const value = isList ? [...(made[property] as Iterable<unknown>)][0] : made[property];
    const found = value === undefined || value === null ? undefined : (value as object).constructor;
    return found === Object ? undefined : found;
  } catch {
    return undefined;
  }
}

function load(): Instantiation {
  try {
    const { plainToInstance } = createRequire(import.meta.url)('class-transformer') as {
      plainToInstance: Instantiation;
    };
    return plainToInstance;
  } catch {
    return (type, plain) => Object.assign(Object.create(type.prototype as object) as object, plain);
  }
}
