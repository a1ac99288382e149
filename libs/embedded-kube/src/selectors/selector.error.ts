/** The error for a label or field selector that cannot be understood; the message is the real server's, which answers with status 400. */
export class SelectorError extends Error {
  readonly code = 400;

  constructor(message: string) {
    super(message);
    this.name = 'SelectorError';
  }
}
