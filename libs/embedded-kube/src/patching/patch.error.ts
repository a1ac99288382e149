/**
 * A patch that cannot be applied.
 *
 * `message` is what the real server answers; `code` is the HTTP status it answers with:
 * 400 for a malformed patch, 413 for an excessive one, 422 for one that does not fit the object, 500 for an unknown directive.
 */
export class PatchError extends Error {
  constructor(
    readonly code: 400 | 413 | 422 | 500,
    message: string,
    /** An explanation of the error where the server's message has none. */
    readonly detail: string = message,
  ) {
    super(message);
    this.name = new.target.name;
  }
}

/**
 * The reason why a JSON patch failed: it is no JSON patch, its path leads nowhere, a `test` did not hold, or it has too many operations.
 */
export type JsonPatchErrorKind = 'invalid' | 'missing' | 'test-failed' | 'too-large';

/** A JSON patch (RFC 6902) that cannot be applied. */
export class JsonPatchError extends PatchError {
  constructor(
    readonly kind: JsonPatchErrorKind,
    code: 400 | 413 | 422,
    detail: string,
  ) {
    // The real server does not show its clients which operation failed.
    super(code, code === 422 ? 'the server rejected our request due to an error in our request' : detail, detail);
  }
}
