/** Says that a webhook gave no valid answer; ignored where the webhook's failure policy says so. */
export class CallingError extends Error {
  override readonly name = 'CallingError';

  constructor(webhook: string, reason: string) {
    super(`failed calling webhook ${JSON.stringify(webhook)}: ${reason}`);
  }
}
