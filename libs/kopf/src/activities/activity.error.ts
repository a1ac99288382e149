import { KopfError } from '../common/kopf.errors.js';

/** The error of an activity whose handlers have failed for good; the cause is the first handler's error. */
export class ActivityError extends KopfError {
  readonly code = 'KOPF_ACTIVITY';

  /**
   * @param activity the name of the activity: `startup`.
   * @param failures the errors by the handlers' methods: `Operator.create`.
   */
  constructor(
    activity: string,
    readonly failures: ReadonlyMap<string, Error>,
  ) {
    const reasons = [...failures].map(([source, error]) => `${source}: ${error.message}`);
    super(`The operator's ${activity} has failed: ${reasons.join('; ')}`, { cause: [...failures.values()][0] });
  }
}
