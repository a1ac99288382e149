import { KopfError } from './kopf.error.js';

/** The options of the module are wrong; the message names every violation. */
export class KopfOptionsError extends KopfError {
  readonly code = 'KOPF_OPTIONS';

  constructor(readonly violations: readonly string[]) {
    super(`The options of KopfModule are wrong: ${violations.join('; ')}.`);
  }
}
