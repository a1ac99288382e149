/** Says that there is no answer: the connection broke, or the server is down. Over HTTPS, the socket is closed instead. */
export class ConnectionLostError extends Error {
  override readonly name = 'ConnectionLostError';

  constructor(
    /** The code of Node's error for it. */
    readonly code: 'ECONNRESET' | 'ECONNREFUSED',
    message: string,
  ) {
    super(message);
  }
}
