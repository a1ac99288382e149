import { Inject, Injectable } from '@nestjs/common';
import { NOTHING_TO_WAIT_FOR, type BackgroundStep } from '../background/background.engine.js';
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

  /** Takes the steps that are due now. */
  async take(cycle: EventCycle): Promise<CycleResult> {
    const { handlers, memory, patch, slot } = cycle;
    // If the object goes while handlers of events run, what was seen of it before is handled nevertheless.
    const wasGone = cycle.isObjectGone;
    const hadRemains = !patch.isEmpty || memory.isStateUnsent;
    // The daemons of a deleted object must stop, even if a filter fails on its last state.
    const released = cycle.isDeleted && hasBackground(cycle) ? await this.background.handle(cycle) : undefined;
    let change = handlers.changing.length > 0 ? this.detector.detect(cycle) : undefined;

    if (handlers.watching.length > 0 && !cycle.isRead) {
      await this.events.handle(cycle, new WatchingCause(cycle, cycle.event));
    }
    const waiting = released ?? (hasBackground(cycle) ? await this.background.handle(cycle) : NOTHING_TO_WAIT_FOR);

    // An object without matching handlers gets no marks and no log lines, and loses those from before.
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
      return (await this.catchUp(cycle)) ? 'outdated' : 'superseded';
    }
    // If the unsent changes turn out to be made already, no event follows. By the delay of 0, the handlers are called nevertheless.
    if (change && hadRemains) return { ...waiting, delays: [0, ...waiting.delays] };
    if (change && cycle.mustCatchUp) return waiting;
    const step = change ? await this.changes.handle(cycle, change) : NOTHING_HANDLED;
    return this.conclude(cycle, change, waiting, step);
  }

  private conclude(
    cycle: EventCycle,
    change: ChangingCause | undefined,
    waiting: BackgroundStep,
    step: HandlingStep,
  ): CycleEnd {
    const { attempts } = step;
    const delays = this.concludeStep(cycle, waiting, step);
    // A touch of an earlier cycle is not needed if no handler waits, and only this removes it.
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

/** Whether daemons and timers run for the object, or can run. Those of removed handlers are stopped, too. */
function hasBackground({ handlers, memory }: EventCycle): boolean {
  return handlers.spawning.length > 0 || memory.background !== undefined;
}
