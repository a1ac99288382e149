import { errorText } from '../common/texts.js';
import { KopfError } from '../common/kopf.errors.js';

/** A filter of a handler has thrown; the cause is what it threw. */
export class FilterError extends KopfError {
  readonly code = 'KOPF_FILTER';

  /** @param source the handler whose filter it is: `Operator.create`. */
  constructor(source: string, cause: unknown) {
    super(`A filter of ${source} has failed: ${errorText(cause)}`, { cause });
  }
}
