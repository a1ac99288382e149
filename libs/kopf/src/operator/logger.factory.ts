import type { KopfLogger } from '../common/kopf.logger.js';
import { NestLogger } from '../common/nest.logger.js';
import { DEFAULT_OPERATOR } from '../kopf.tokens.js';
import type { KopfSettings } from '../settings/kopf.settings.js';

/** Creates the logger of an operator. Its lines are of the context `Kopf`, or of that of the handler's class. */
export function createLogger(operator: string, { logging }: KopfSettings): KopfLogger {
  const context = operator === DEFAULT_OPERATOR ? 'Kopf' : `Kopf:${operator}`;
  return new NestLogger(context, { style: logging, fields: { operator } });
}
