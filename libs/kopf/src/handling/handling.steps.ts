import { Inject, Injectable } from '@nestjs/common';
import { NOTHING_TO_WAIT_FOR, type BackgroundStep } from '../background/background.engine.js';
import { isThenable } from 'kube-common';
import { KopfSettings } from '../settings/kopf.settings.js';
import type { ChangingCause } from '../contexts/changing.cause.js';
import { Reason } from '../contexts/reason.js';
import { WatchingCause } from '../contexts/object.causes.js';
import { anyPrematches } from '../registry/handler-selection.js';
import { BackgroundHandling } from './background.handling.js';
import { ChangeDetector } from './change.detector.js';
import { ChangeHandling, NOTHING_HANDLED, type HandlingStep } from './change.handling.js';
import type { CycleEnd, CycleResult, EventCycle } from './event.cycle.js';
import { EventHandling } from './event.handling.js';
import { FinalizerHandling } from './finalizer.handling.js';
import { HandlerChanges, type ConcludingCycle } from './handler.changes.js';
import { InjectOwn } from '../kopf.tokens.js';

/**
 * The steps of handling in their order: detect what has changed, call the handlers of events, start and stop daemons and timers, decide on
 * the finalizer, wait for consistency, and call the handlers of changes. The steps send no requests: all changes are collected in the
 * patches of the cycle.
 */
@Injectable()
export class HandlingSteps {
  constructor(
    @Inject(ChangeDetector) private readonly detector: ChangeDetector,
    @Inject(EventHandling) private readonly events: EventHandling,
    @Inject(BackgroundHandling) private readonly background: BackgroundHandling,
    @Inject(FinalizerHandling) private readonly finalizer: FinalizerHandling,
    @Inject(ChangeHandling) private readonly changes: ChangeHandling,
    @InjectOwn(KopfSettings) private readonly settings: KopfSettings,
  ) {}

  /** Takes the steps that are due now: at once if none of them has to wait, as for most events that show the operator's own patches. */
  take(cycle: EventCycle): CycleResult | Promise<CycleResult> {
    const hadRemains = !cycle.patch.isEmpty || cycle.memory.isStateUnsent;
    return isWatched(cycle) || hasBackground(cycle)
      ? this.takeAll(cycle, hadRemains)
      : this.takeChange(cycle, this.detect(cycle), NOTHING_TO_WAIT_FOR, hadRemains, cycle.isObjectGone);
  }

  private async takeAll(cycle: EventCycle, hadRemains: boolean): Promise<CycleResult> {
    // If the object goes while handlers of events run, what was seen of it before is handled nevertheless.
    const wasGone = cycle.isObjectGone;
    // The daemons of a deleted object must stop, even if a filter fails on its last state.
    const released = cycle.isDeleted && hasBackground(cycle) ? await this.background.handle(cycle) : undefined;
    const change = this.detect(cycle);
    if (isWatched(cycle)) await this.events.handle(cycle, new WatchingCause(cycle, cycle.event));
    const waiting = released ?? (hasBackground(cycle) ? await this.background.handle(cycle) : NOTHING_TO_WAIT_FOR);
    return this.takeChange(cycle, change, waiting, hadRemains, wasGone);
  }

  private detect(cycle: EventCycle): ChangingCause | undefined {
    return cycle.handlers.changing.length > 0 ? this.detector.detect(cycle) : undefined;
  }

  /**
   * Takes the steps after the handlers of events.
   *
   * @param hadRemains whether changes of earlier cycles were not sent yet.
   * @param wasGone whether the object was gone before the handlers of events were called.
   */
  private takeChange(
    cycle: EventCycle,
    detected: ChangingCause | undefined,
    waiting: BackgroundStep,
    hadRemains: boolean,
    wasGone: boolean,
  ): CycleResult | Promise<CycleResult> {
    const { handlers, memory, patch, slot } = cycle;
    let change = detected;
    // An object that no handler matches gets neither state nor log lines, and the state of earlier handlings is removed from it.
    if (change && !anyPrematches(handlers.changing, change)) {
      if (!cycle.mustCatchUp && change.reason !== Reason.GONE) this.changes.purgeLeftovers(cycle, change);
      change = undefined;
    }
    // No change of an object that is gone could be stored. But deletion handlers are called, as they clean up elsewhere.
    if (wasGone && change?.reason !== Reason.DELETE) return waiting;
    // A cycle that adds or removes the finalizer does nothing else, unless the API server keeps rejecting it.
    if (!cycle.mustCatchUp && this.finalizer.adjust(cycle, change) && memory.rejections.size === 0) return waiting;
    memory.background?.releasePatches();
    if (slot.isOutdated) return waiting;
    if (cycle.mustCatchUp && (hadRemains || (change && patch.isEmpty))) {
      memory.keep(patch);
      return this.catchUp(cycle).then((isTimeOver) => (isTimeOver ? 'outdated' : 'superseded'));
    }
    // If the object has the unsent changes already, the patch causes no event. By the delay of 0, the object is touched instead, so that
    // the handlers are called in the next cycle.
    if (change && hadRemains) return { ...waiting, delays: [0, ...waiting.delays] };
    if (change && cycle.mustCatchUp) return waiting;
    const step = change ? this.changes.handle(cycle, change) : NOTHING_HANDLED;
    return isThenable(step)
      ? step.then((end) => this.conclude(cycle, change, waiting, end))
      : this.conclude(cycle, change, waiting, step);
  }

  private conclude(
    cycle: EventCycle,
    change: ChangingCause | undefined,
    waiting: BackgroundStep,
    step: HandlingStep,
  ): CycleEnd {
    const { attempts } = step;
    const delays = this.concludeStep(cycle, waiting, step);
    // If no handler waits, the touch of an earlier cycle is not needed any more. It is removed here only.
    const isIdle = delays.length === 0 && (!change || change.reason === Reason.NOOP);
    if (isIdle) this.settings.persistence.progressStorage.touch(null, cycle.body, cycle.bookkeeping);
    return {
      delays,
      settled: waiting.settled,
      handlerChanges:
        attempts &&
        new HandlerChanges(attempts.before, attempts.all, (failures, present) =>
          this.concludeStep(present, waiting, attempts.fail(failures)),
        ),
    };
  }

  /** Removes the finalizer if there is nothing left to wait for. Returns the delays that are left. */
  private concludeStep(cycle: ConcludingCycle, waiting: BackgroundStep, step: HandlingStep): readonly number[] {
    const delays = [...waiting.delays, ...step.delays];
    if (delays.length > 0) step.keep?.();
    else if (!step.holdsDeletion) this.finalizer.release(cycle);
    return delays;
  }

  /**
   * Waits until the watch has shown the operator's own last patch.
   *
   * @returns whether the time is over without a newer event. The handlers of changes are not called with the outdated state; the object is
   *   read instead.
   */
  private catchUp({ memory: { consistencyDeadline = 0 }, slot }: EventCycle): Promise<boolean> {
    return slot.sleep((consistencyDeadline - slot.clock.monotonic()) / 1000);
  }
}

/** Whether there are handlers of events to be called. */
function isWatched({ handlers, isRead }: EventCycle): boolean {
  return handlers.watching.length > 0 && !isRead;
}

/** Whether daemons and timers run for the object, or can run. Those of removed handlers are stopped, too. */
function hasBackground({ handlers, memory }: EventCycle): boolean {
  return handlers.spawning.length > 0 || memory.background !== undefined;
}
