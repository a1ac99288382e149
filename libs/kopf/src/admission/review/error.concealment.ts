import { PermanentError, TemporaryError } from '../../execution/handler.errors.js';

/** Replaces messages of errors that were not meant for users of the API, as they can contain internals. */
export const CONCEALED = 'The admission handler has failed with an internal error; the log of the operator says which.';

/** Keeps the errors that handlers throw for users, of which `AdmissionError` is one; of others, the text can show anything. */
export function concealError(error: Error): Error {
  return error instanceof PermanentError || error instanceof TemporaryError ? error : new Error(CONCEALED);
}
