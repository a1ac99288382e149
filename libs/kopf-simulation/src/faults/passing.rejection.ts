/** The number of attempts of a user, one a second, while webhooks cannot be reached or a namespace is being deleted. */
export const ATTEMPTS = 300;

/** Whether a request has failed because its namespace is being deleted. */
export function isTerminating(status: number, message = ''): boolean {
  return status === 403 && message.includes('because it is being terminated');
}

/** Whether a request has failed because the API server could not reach a webhook. */
export function isWithoutWebhook(status: number, message = ''): boolean {
  return status === 500 && message.includes('failed calling webhook');
}
