import type { Activity } from '../../enums/activity.enum.js';
import { ActivityError } from '../../errors/activity.error.js';
import { ActivityHandlerContext } from '../../execution/activity-handler.context.js';
import type { HandlerExecutor } from '../../execution/handler.executor.js';
import { allAtOnce } from '../../execution/lifecycles.js';
import { ProgressState } from '../../execution/progress.state.js';
import type { Clock } from '../../interfaces/clock.interface.js';
import type { Indices } from '../../interfaces/indices.interface.js';
import type { KopfLogger } from '../../interfaces/logger.interface.js';
import type { KopfRegistry } from '../../registry/kopf.registry.js';
import type { KopfSettings } from '../../settings/kopf.settings.js';
import { sleep } from '../../utils/sleep.js';

/** Runs the handlers of the operator's own life: at once, with retries, until all have finished. Nothing is stored. */
export class ActivityRunner {
  constructor(
    private readonly registry: KopfRegistry,
    private readonly executor: HandlerExecutor,
    private readonly settings: KopfSettings,
    private readonly clock: Clock,
    private readonly logger: KopfLogger,
    private readonly indices: Indices,
  ) {}

  /**
   * Runs the handlers of the activity.
   *
   * @param signal aborting it ends the waiting for retries.
   * @throws ActivityError if any of them has failed for good, or was not retried any more.
   */
  async run(activity: Activity, memo: unknown, signal: AbortSignal): Promise<void> {
    // Nothing is stored by the ids, so handlers of several classes may share them.
    const handlers = this.registry
      .activitiesOf(activity)
      .map((handler) => ({ ...handler, id: `${handler.source}/${handler.id}` }));
    const state = new ProgressState(() => this.clock.now()).activate(handlers);
    const failures = new Map<string, Error>();
    while (!state.done) {
      const outcomes = await this.executor.executeOnce({
        handlers,
        state,
        logger: this.logger,
        lifecycle: allAtOnce,
        signal,
        call: (handler, invocation) =>
          handler.invoke(new ActivityHandlerContext(invocation, this.settings, memo, this.indices)),
      });
      state.advance(outcomes);
      for (const { id, source } of handlers) {
        const error = outcomes.get(id)?.error;
        if (error) failures.set(source, error);
        else if (outcomes.has(id)) failures.delete(source);
      }
      if (state.done) break;
      if (!(await sleep(this.clock, Math.min(...state.delays), signal))) break;
    }
    if (failures.size > 0) throw new ActivityError(activity, failures);
  }
}
