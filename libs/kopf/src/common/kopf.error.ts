import { IntrinsicException } from '@nestjs/common';

/**
 * The base of all errors of the library. Nest does not log such errors on its own, as the library does.
 */
export abstract class KopfError extends IntrinsicException {
  /** A stable identifier of the error's kind, for programs; the message is for people and can change. */
  abstract readonly code: string;

  constructor(message?: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}
