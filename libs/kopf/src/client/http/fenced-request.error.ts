/** The error of a request that a closed fence has stopped in a transport. It was not sent, so it can be sent again. */
export class FencedRequestError extends Error {
  constructor() {
    super('The request was not sent: the leadership has to be confirmed first.');
  }
}
