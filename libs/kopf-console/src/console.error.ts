import { InspectionError } from 'nestjs-kopf/inspection';
import type { ConsoleProblem } from './api/stream.message.js';

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

/** The reason why the console cannot answer a request. Its message is shown to viewers, so it must contain nothing that is redacted. */
export class ConsoleError extends Error {
  override readonly name = 'ConsoleError';

  constructor(
    readonly status: keyof typeof CODES,
    message: string,
  ) {
    super(message);
  }
}

/** The body of the answer to a request that has failed. What is no error of the console or of the inspection is not shown. */
export function toProblem(error: unknown): ConsoleProblem {
  const isKnown = error instanceof ConsoleError || error instanceof InspectionError;
  const { status, message } = isKnown ? error : new ConsoleError(500, 'The console has failed; its log says why.');
  return { status, code: CODES[status], message };
}
