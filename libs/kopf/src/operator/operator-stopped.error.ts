import { KopfError } from '../common/kopf.errors.js';

/** The operator was stopped before it was ready. */
export class OperatorStoppedError extends KopfError {
  readonly code = 'KOPF_STOPPED';

  constructor() {
    super('The operator has been stopped before it was ready.');
  }
}
