import type { ConsoleProblem } from '../console/api/stream.message.js';

const CODES = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHENTICATED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  409: 'CONFLICT',
  500: 'FAILED',
  502: 'UNAVAILABLE',
  503: 'UNAVAILABLE',
} as const;

/** Says why the console cannot answer a request. Its message is shown to viewers, so it must hold nothing that is redacted. */
export class ConsoleError extends Error {
  override readonly name = 'ConsoleError';

  constructor(
    readonly status: keyof typeof CODES,
    message: string,
  ) {
    super(message);
  }

  /** Makes the body of the answer. */
  get problem(): ConsoleProblem {
    const { status, message } = this;
    return { status, code: CODES[status], message };
  }
}
