import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from 'kube-common';
import { steadyTime } from '../common/time.of-day.js';
import type { WatchingCause } from '../contexts/object.causes.js';
import { HandlerExecutor } from '../execution/handler.executor.js';
import { HandlerInvoker } from '../execution/handler.invoker.js';
import { allAtOnce } from '../execution/lifecycles.js';
import { ProgressState } from '../execution/progress.state.js';
import { deliverResults } from '../execution/results.js';
import { InjectOwn, KOPF_CLOCK } from '../kopf.tokens.js';
import { selectWatchingHandlers } from '../registry/handler-selection.js';
import type { EventCycle } from './event.cycle.js';

/** The handling of raw events: all `@OnEvent` handlers are called once, and only their results are stored. */
@Injectable()
export class EventHandling {
  constructor(
    @InjectOwn(HandlerExecutor) private readonly executor: HandlerExecutor,
    @Inject(HandlerInvoker) private readonly invoker: HandlerInvoker,
    @InjectOwn(KOPF_CLOCK) private readonly clock: Clock,
  ) {}

  async handle({ handlers: { watching }, session }: EventCycle, cause: WatchingCause): Promise<void> {
    const handlers = selectWatchingHandlers(watching, cause);
    if (handlers.length === 0) return;
    const state = new ProgressState(steadyTime(this.clock)).activate(handlers);
    const { events, signal, monitor } = session;
    const scope = { body: cause.body, events };
    const outcomes = await this.executor.executeOnce({
      handlers,
      state,
      logger: cause.logger,
      cause,
      purpose: 'event',
      lifecycle: allAtOnce,
      errors: 'ignored',
      signal,
      monitor,
      scope: session,
      endsWithSignal: true,
      call: (handler, invocation) => this.invoker.invokeEvent(handler, cause, invocation, scope),
    });
    deliverResults(outcomes, cause.patch);
    // Without a status subresource, each write is another event for these handlers.
    if (!cause.resource.subresources.includes('status')) cause.patch.ignoreGeneration(cause.body);
  }
}
