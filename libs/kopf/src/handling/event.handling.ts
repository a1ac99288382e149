import type { HandlerExecutor } from '../execution/handler.executor.js';
import type { HandlerInvoker } from '../execution/handler.invoker.js';
import { allAtOnce } from '../execution/lifecycles.js';
import { ProgressState } from '../execution/progress.state.js';
import { deliverResults } from '../execution/results.js';
import type { Clock } from '../common/clock.interface.js';
import type { EventPoster } from '../contexts/event-poster.interface.js';
import type { WatchingHandler } from '../registry/handler.js';
import { selectWatchingHandlers } from '../registry/handler-selection.js';
import type { WatchingCause } from '../contexts/watching.cause.js';

/** Calls the handlers of raw events: all of them, once, without storing anything but their results. */
export class EventHandling {
  constructor(
    private readonly executor: HandlerExecutor,
    private readonly invoker: HandlerInvoker,
    private readonly clock: Clock,
    private readonly events: EventPoster,
    /** Has the signal that handlers get. */
    private readonly scope: { readonly signal: AbortSignal; readonly pending?: Promise<void> },
  ) {}

  async handle(registered: readonly WatchingHandler[], cause: WatchingCause): Promise<void> {
    const handlers = selectWatchingHandlers(registered, cause);
    if (handlers.length === 0) return;
    const state = new ProgressState(() => this.clock.now()).activate(handlers);
    const invocationScope = { body: cause.body, events: this.events };
    const outcomes = await this.executor.executeOnce({
      handlers,
      state,
      logger: cause.logger,
      lifecycle: allAtOnce,
      errors: 'ignored',
      isRoutine: true,
      signal: this.scope.signal,
      scope: this.scope,
      endsWithSignal: true,
      call: (handler, invocation) => this.invoker.invokeEvent(handler, cause, invocation, invocationScope),
    });
    deliverResults(outcomes, cause.patch);
  }
}
