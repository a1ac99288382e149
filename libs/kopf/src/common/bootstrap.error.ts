import { KopfError } from './kopf.error.js';

/** The operator cannot start because of errors in its code or configuration; the message names all of them. */
export class KopfBootstrapError extends KopfError {
  readonly code = 'KOPF_BOOTSTRAP';

  constructor(readonly errors: readonly string[]) {
    super(errors.length === 1 ? errors[0] : `The operator cannot start:\n${errors.map((m) => `- ${m}`).join('\n')}`);
  }
}
