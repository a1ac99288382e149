/** Thrown by transports for a request that has met a closed fence. It was not sent, so it can be sent again. */
export class FencedRequestError extends Error {
  constructor() {
    super('The request was not sent: the leadership has to be confirmed first.');
  }
}
