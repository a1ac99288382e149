import { begin, KOPF_CHANNELS, type CycleMessage, type OperatorIdentity } from '../diagnostics/channels.js';
import type { EventCycle } from './event.cycle.js';

/** Runs a cycle, and publishes its start and its end on the diagnostic channels. */
export function runFollowed<T>(cycle: EventCycle, operator: OperatorIdentity, run: () => Promise<T>): Promise<T> {
  const { resource, body, event, slot } = cycle;
  const { clock, stopwatch } = slot;
  const message: CycleMessage = { operator, resource, body, type: event.type, startedAt: clock.now() };
  const begun = clock.monotonic();
  const workedBefore = stopwatch?.seconds ?? 0;
  const conclude = (result: CycleMessage['result']): void => {
    message.result = result;
    message.duration = (clock.monotonic() - begun) / 1000;
    message.work = stopwatch ? stopwatch.seconds - workedBefore : message.duration;
    KOPF_CHANNELS.cycleEnd.publish(message);
  };
  // Not an async function, as its additional promise would be a measurable part of a cycle's cost.
  return begin(KOPF_CHANNELS.cycleStart, message, () =>
    run().then(
      (next) => {
        conclude(next ? 'repeated' : cycle.isWaiting ? 'waiting' : 'done');
        return next;
      },
      (error: unknown) => {
        message.error = error;
        conclude('failed');
        throw error;
      },
    ),
  );
}
