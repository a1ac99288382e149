import { validate, type ValidationError, getMetadataStorage } from 'class-validator';
import { AdmissionError } from './admission.errors.js';
import { withPath } from '../../settings/option.validation.js';
import { isMap, type JsonMap, setKey } from 'kube-common';

/** A function that makes an instance of a class from plain values, as `plainToInstance` of class-transformer does. */
export type Instantiation = (type: new () => object, plain: object) => object;

/** The validator of specs by classes with rules of class-validator. */
export class DtoValidator {
  private constructor(
    private readonly instantiate: Instantiation,
    /** The advice to users if a nested class is not known. */
    private readonly advice: string,
  ) {}

  /** Creates a validator, with class-transformer if it is installed, which nested classes need. */
  static async load(importer: () => Promise<unknown> = () => import('class-transformer')): Promise<DtoValidator> {
    try {
      const { plainToInstance } = (await importer()) as { plainToInstance: Instantiation };
      return new DtoValidator((type, plain) => plainToInstance(type, plain), 'add @Type() of class-transformer to it');
    } catch (error) {
      if (!isMissing(error)) throw error;
      const advice = 'install the package class-transformer, and add its @Type() to it';
      return new DtoValidator((type, plain) => Object.assign(new type(), plain), advice);
    }
  }

  /** Finds the rules of a class that would never be checked. @returns a text for each of them */
  findViolations(type: new () => object): readonly string[] {
    return findDtoViolations(type, this.instantiate).map(
      (field) => `the class of the nested ${field} is not known, so its rules would not be checked; ${this.advice}`,
    );
  }

  /**
   * Checks a spec.
   *
   * @throws AdmissionError with the code 422 that names all violations by the paths of their fields:
   *   `spec.size must be a positive number; spec.disks[0].name should not be empty`.
   */
  async check(type: new () => object, spec: unknown): Promise<void> {
    if (typeof spec !== 'object' || spec === null || Array.isArray(spec)) {
      throw new AdmissionError('spec must be an object', 422);
    }
    const { violations } = await this.validate(type, spec);
    if (violations.length > 0) throw new AdmissionError(describeViolations(violations).join('; '), 422);
  }

  /** Creates an instance of the class, and checks it by its rules. */
  async validate(
    type: new () => object,
    plain: object,
  ): Promise<{ readonly instance: object; readonly violations: readonly ValidationError[] }> {
    const numeric = withNumbers(plain) as object;
    const checked = this.instantiate(type, numeric);
    const violations = await validate(checked, { forbidUnknownValues: false });
    return { instance: numeric === plain ? checked : this.instantiate(type, plain), violations };
  }
}

/** Describes violations by the paths of their fields. */
export function describeViolations(violations: readonly ValidationError[], parent = 'spec'): readonly string[] {
  return violations.flatMap(({ property, constraints = {}, children = [] }) => {
    const path = joinPath(parent, property);
    const own = Object.values(constraints).map((message) => withPath(message, property, path));
    return [...own, ...describeViolations(children, path)];
  });
}

/** Joins the path of a field: `spec.disks[0].name`. */
export function joinPath(parent: string, property: string): string {
  return /^\d+$/.test(property) ? `${parent}[${property}]` : `${parent}.${property}`;
}

/** Replaces bigints by the nearest numbers, as `@IsInt()`, `@Min()` and the other rules accept nothing else. */
function withNumbers(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return replaceItems(value, value.map(withNumbers));
  if (!isMap(value)) return value;
  let copy: JsonMap | undefined;
  for (const key of Object.keys(value)) {
    const member = withNumbers(value[key]);
    if (member !== value[key]) setKey((copy ??= { ...value }), key, member);
  }
  return copy ?? value;
}

/** Returns the same items if none of them has changed, so that most specs are not copied. */
function replaceItems(items: readonly unknown[], others: readonly unknown[]): readonly unknown[] {
  return others.some((other, index) => other !== items[index]) ? others : items;
}

/** Whether an error says that a package is not installed, and not that it is broken. */
function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND';
}

/**
 * Finds the fields whose nested rules would never be checked: fields with `@ValidateNested()` that stay plain values, as no decorator names
 * their class.
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

/** Creates an object in a field to find its class; `undefined` if the class cannot be distinguished from that of plain values. */
function probe(type: new () => object, instantiate: Instantiation, field: string, isList: boolean): object | undefined {
  try {
    const made = instantiate(type, { [field]: isList ? [{}] : {} }) as Record<string, unknown>;
    const value = isList ? [...(made[field] as Iterable<unknown>)][0] : made[field];
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
