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
    /** What exactly did not fit, where the server's message does not tell. */
    readonly detail: string = message,
  ) {
    super(message);
    this.name = new.target.name;
  }
}
