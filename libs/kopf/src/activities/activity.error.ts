import { KopfError } from '../common/kopf.errors.js';

/** Handlers of the operator's own life have failed for good; the cause is the first one's error. */
export class ActivityError extends KopfError {
  readonly code = 'KOPF_ACTIVITY';

  /**
   * @param activity what was going on: `startup`.
   * @param failures the errors by the handlers' sources.
   */
  constructor(
    activity: string,
    readonly failures: ReadonlyMap<string, Error>,
  ) {
    const reasons = [...failures].map(([source, error]) => `${source}: ${error.message}`);
    super(`The operator's ${activity} has failed: ${reasons.join('; ')}`, { cause: [...failures.values()][0] });
  }
}
