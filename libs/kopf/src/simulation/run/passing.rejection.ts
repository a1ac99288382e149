/** The number of times that users try, once in a second, what cannot be done while webhooks are not reached, or a namespace is about to go. */
export const ATTEMPTS = 300;

/** Tells whether a request has failed since its namespace is about to go. */
export function isTerminating(status: number, message = ''): boolean {
  return status === 403 && message.includes('because it is being terminated');
}

/** Tells whether a request has failed since the API server could not reach a webhook. */
export function isWithoutWebhook(status: number, message = ''): boolean {
  return status === 500 && message.includes('failed calling webhook');
}
