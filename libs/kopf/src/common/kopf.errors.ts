import { inspect } from 'node:util';
import { IntrinsicException } from '@nestjs/common';

/** The base of all errors of the library. Nest does not log them, as the library does. */
export abstract class KopfError extends IntrinsicException {
  /** A stable identifier of the kind of the error, for programs; the message is for people and can change. */
  abstract readonly code: string;

  constructor(message?: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** The error of an operator that cannot start because of errors in its code or configuration; the message names all of them. */
export class KopfBootstrapError extends KopfError {
  readonly code = 'KOPF_BOOTSTRAP';

  constructor(readonly errors: readonly string[]) {
    super(errors.length === 1 ? errors[0] : `The operator cannot start:\n${errors.map((m) => `- ${m}`).join('\n')}`);
    omitFrames(this);
  }
}

/** The error of wrong options of a module; the message names every violation. */
export class KopfOptionsError extends KopfError {
  readonly code = 'KOPF_OPTIONS';

  /** @param module the class of the module. */
  constructor(
    readonly violations: readonly string[],
    module = 'KopfModule',
  ) {
    super(`The options of ${module} are wrong: ${violations.join('; ')}.`);
    omitFrames(this);
  }
}

/**
 * Removes the stack of an error: the error is in the code or the options, which the message names, and not where the library or Nest has
 * found it.
 */
function omitFrames(error: KopfError): void {
  const text = `${error.name}: ${error.message}`;
  error.stack = text;
  Object.defineProperty(error, inspect.custom, { value: () => text });
}
