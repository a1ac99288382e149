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

/**
 * The steps of handling in their order: detects what has changed, calls the handlers of events, starts and stops daemons and timers,
 * decides on the finalizer, waits for consistency, and calls the handlers of changes. Nothing is sent here: all that they want is in the patch.
 */
@Injectable()
export class HandlingSteps {
  constructor(
    @Inject(ChangeDetector) private readonly detector: ChangeDetector,
    @Inject(EventHandling) private readonly events: EventHandling,
    @Inject(BackgroundHandling) private readonly background: BackgroundHandling,
    @Inject(FinalizerHandling) private readonly finalizer: FinalizerHandling,
    @Inject(ChangeHandling) private readonly changes: ChangeHandling,
    @Inject(KopfSettings) private readonly settings: KopfSettings,
  ) {}

  /** Calls what is to be called now. */
  async take(cycle: EventCycle): Promise<CycleResult> {
    const { handlers, memory, patch, slot } = cycle;
    const hadRemains = !patch.isEmpty || memory.isStateUnsent;
    // What runs for an object that has gone must stop, even if a filter fails for what is left of it.
    const released = cycle.isDeleted && hasBackground(cycle) ? await this.background.handle(cycle) : undefined;
    let change = handlers.changing.length > 0 ? this.detector.detect(cycle) : undefined;

    if (handlers.watching.length > 0 && !cycle.isRead) {
      await this.events.handle(cycle, new WatchingCause(cycle, cycle.event));
    }
    const waiting = released ?? (hasBackground(cycle) ? await this.background.handle(cycle) : NOTHING_TO_WAIT_FOR);

    // An object that no handler is for gets no marks and no log lines; those that it has from before are removed.
    if (change && !anyPrematches(handlers.changing, change)) {
      if (!cycle.mustCatchUp && change.reason !== Reason.GONE) this.changes.purgeLeftovers(cycle, change);
      change = undefined;
    }
    // Nothing of what could be done would be stored. But what a deletion leaves to be done elsewhere is done while it can be seen.
    if (cycle.isObjectGone && change?.reason !== Reason.DELETE) return waiting;
    // A cycle that adds or removes the finalizer is dedicated to it, unless this may be refused for ever.
    if (!cycle.mustCatchUp && this.finalizer.adjust(cycle, change) && memory.rejections.size === 0) return waiting;
    memory.background?.releasePatches();
    if (slot.isOutdated) return waiting;
    if (cycle.mustCatchUp && (hadRemains || (change && patch.isEmpty))) {
      memory.keep(patch);
      return (await this.catchUp(cycle)) ? 'outdated' : 'superseded';
    }
    // If what remained turns out to be done already, there is no event of it: the handlers must be called without.
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
    // Nothing that is waited for needs the touch of an earlier cycle, and nothing else would take it away.
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

  /** Removes the finalizer if nothing is left to wait for. Returns what is. */
  private concludeStep(cycle: ConcludingCycle, waiting: BackgroundStep, step: HandlingStep): readonly number[] {
    const delays = [...waiting.delays, ...step.delays];
    if (delays.length > 0) step.keep?.();
    else if (!step.holdsDeletion) this.finalizer.release(cycle);
    return delays;
  }

  /**
   * Waits for the watch to come as far as the operator's own patches have.
   *
   * @returns whether the time is over and the watch has told of nothing newer. The handlers of changes are not called with
   *   the older state, as they would be called for what is history: the object is read instead.
   */
  private catchUp({ memory: { consistencyDeadline = 0 }, slot }: EventCycle): Promise<boolean> {
    return slot.sleep((consistencyDeadline - slot.clock.monotonic()) / 1000);
  }
}

/** Whether daemons and timers run for the object, or can: what runs for handlers that were removed is to be stopped, too. */
function hasBackground({ handlers, memory }: EventCycle): boolean {
  return handlers.spawning.length > 0 || memory.background !== undefined;
}
