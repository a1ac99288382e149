import { Injectable, Optional, type ArgumentMetadata, type PipeTransform, type Type } from '@nestjs/common';
import { getMetadataStorage, type ValidationError } from 'class-validator';
import { DtoValidator, joinPath } from '../admission/review/dto.validator.js';
import { withPath } from '../settings/option.validation.js';
import { createParameterError, describeSafely, type ParameterProblem } from './parameter.error.js';

/**
 * The pipe that validates parameters by the rules of class-validator on their classes, and passes instances of these classes. Parameters of
 * other types pass unchanged.
 *
 * It can be put on a parameter, a method, or a class. Nest's `ValidationPipe` ignores parameters of custom decorators by default.
 *
 * @example
 * @OnCreate('ephemeralvolumeclaims.kopf.dev')
 * create(@Spec(KopfValidationPipe) spec: ClaimSpec) {}
 */
@Injectable()
export class KopfValidationPipe implements PipeTransform {
  private validator?: Promise<DtoValidator>;

  /** @param type the class to validate by, where the compiler emits no types of parameters. @default the type of the parameter */
  constructor(@Optional() private readonly type?: Type<object>) {}

  /**
   * @throws ParameterError with the paths of all violations.
   * @throws TypeError if the class is not known.
   */
  async transform(value: unknown, { metatype, data = 'value' }: ArgumentMetadata): Promise<unknown> {
    const type = this.type ?? (metatype as Type<object> | undefined);
    if (!type) throw new TypeError(describeMissingType(data));
    if (!hasRules(type)) return value;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw createParameterError([{ path: data, text: `${data} must be an object` }]);
    }
    const validator = await (this.validator ??= DtoValidator.load());
    const { instance, violations } = await validator.validate(type, value);
    if (violations.length > 0) throw createParameterError(listProblems(violations, data));
    return instance;
  }
}

function hasRules(type: Type<object>): boolean {
  return getMetadataStorage().getTargetValidationMetadatas(type, '', false, false).length > 0;
}

function listProblems(violations: readonly ValidationError[], parent: string): readonly ParameterProblem[] {
  return violations.flatMap(({ property, value, constraints = {}, children = [] }) => {
    const path = joinPath(parent, property);
    const own = Object.values(constraints).map((message) => ({
      path,
      text: describeSafely(path, withPath(message, property, path), value),
    }));
    return [...own, ...listProblems(children, path)];
  });
}

function describeMissingType(parameter: string): string {
  return (
    `KopfValidationPipe does not know the class of ${parameter}, as the compiler emits no types of parameters. ` +
    'Give it the class: new KopfValidationPipe(ClaimSpec), or compile with emitDecoratorMetadata.'
  );
}
