import { PatchError } from './patch.error.js';

/** Why a JSON patch failed: it is no JSON patch, its path leads nowhere, a `test` did not hold, or it has too many operations. */
export type JsonPatchErrorKind = 'invalid' | 'missing' | 'test-failed' | 'too-large';

/** A JSON patch (RFC 6902) that cannot be applied. */
export class JsonPatchError extends PatchError {
  constructor(
    readonly kind: JsonPatchErrorKind,
    code: 400 | 413 | 422,
    detail: string,
  ) {
    // The real server does not tell its clients which operation failed.
    super(code, code === 422 ? 'the server rejected our request due to an error in our request' : detail, detail);
  }
}
