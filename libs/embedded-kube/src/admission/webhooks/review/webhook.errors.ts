import { isMapping } from '../../../common/json.values.js';
import { type StatusDetails, StatusError } from '../../../errors/status.error.js';

/** The error of a webhook that gave no valid answer; ignored where the webhook's failure policy says so. */
export class CallingError extends Error {
  override readonly name = 'CallingError';

  constructor(webhook: string, reason: string) {
    super(`failed calling webhook ${JSON.stringify(webhook)}: ${reason}`);
  }
}

/** Returns the error response that a webhook's denial becomes. */
export function denial(webhook: string, status: Readonly<Record<string, unknown>> = {}): StatusError {
  const { code, reason, message, details } = status;
  const given = typeof reason === 'string' ? reason : '';
  const explanation = (typeof message === 'string' && message) || given;
  const by = `admission webhook ${JSON.stringify(webhook)} denied the request`;
  return new StatusError(
    typeof code === 'number' && code >= 400 ? code : 400,
    given,
    explanation ? `${by}: ${explanation}` : `${by} without explanation`,
    isMapping(details) ? (details as StatusDetails) : undefined,
  );
}
