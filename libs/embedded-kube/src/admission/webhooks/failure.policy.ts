import { internalError } from '../../errors/status.errors.js';
import type { Logger } from '../../common/logger.js';
import type { CompiledWebhook } from './matching/compiled.webhook.js';
import { CallingError } from './review/calling.error.js';

/**
 * Decides what the failure of a call means: nothing if the webhook ignores failures.
 *
 * @throws StatusError 500 if it does not; whatever is no failure of the call as it is
 */
export function applyFailurePolicy({ spec }: CompiledWebhook, error: unknown, logger: Logger): void {
  if (!(error instanceof CallingError)) throw error;
  if (spec.failurePolicy !== 'Ignore') throw internalError(error.message);
  logger.warn(`Failing open: ${error.message}`);
}
