import { KopfError } from './kopf.error.js';

/** The operator cannot start because of a mistake in its code or configuration; the message names all of them. */
export class KopfBootstrapError extends KopfError {
  readonly code = 'KOPF_BOOTSTRAP';

  constructor(readonly mistakes: readonly string[]) {
    super(
      mistakes.length === 1 ? mistakes[0] : `The operator cannot start:\n${mistakes.map((m) => `- ${m}`).join('\n')}`,
    );
  }
}
