import type { ValidationError } from 'class-validator';
import { validate } from '../../utils/class-validator.js';
import { AdmissionError } from '../../errors/admission.errors.js';

/** Makes an instance of a class out of plain values, as `plainToInstance` of class-transformer does. */
export type Instantiation = (type: new () => object, plain: object) => object;

/** Checks specs against classes with rules of class-validator. */
export class DtoValidator {
  private constructor(private readonly instantiate: Instantiation) {}

  /** Makes a validator, with class-transformer if it is installed: only then nested classes are checked as such. */
  static async load(importer: () => Promise<unknown> = () => import('class-transformer')): Promise<DtoValidator> {
    try {
      const { plainToInstance } = (await importer()) as { plainToInstance: Instantiation };
      return new DtoValidator((type, plain) => plainToInstance(type, plain));
    } catch {
      return new DtoValidator((type, plain) => Object.assign(new type(), plain));
    }
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
    const violations = await validate(this.instantiate(type, spec), { forbidUnknownValues: false });
    if (violations.length > 0) throw new AdmissionError(describeViolations(violations).join('; '), 422);
  }
}

/** Describes violations by the paths of their fields. */
export function describeViolations(violations: readonly ValidationError[], parent = 'spec'): readonly string[] {
  return violations.flatMap(({ property, constraints = {}, children = [] }) => {
    const path = /^\d+$/.test(property) ? `${parent}[${property}]` : `${parent}.${property}`;
    const own = Object.values(constraints).map((message) => withPath(message, property, path));
    return [...own, ...describeViolations(children, path)];
  });
}

/** The messages of class-validator begin with the property, or with what each value in it must be; those of users can be anything. */
function withPath(message: string, property: string, path: string): string {
  for (const start of [`${property} `, `each value in ${property} `, `nested property ${property} `]) {
    if (message.startsWith(start))
      return `${start.slice(0, -property.length - 1)}${path} ${message.slice(start.length)}`;
  }
  return `${path}: ${message}`;
}
