import { Inject, Injectable } from '@nestjs/common';
import { backoffDelay } from '../common/backoff.js';
import { type Clock, formatTimestamp } from 'kube-common';
import { InjectOwn, KOPF_CLOCK } from '../kopf.tokens.js';
import type { CycleEnd, EventCycle } from './event.cycle.js';
import { PatchSending } from './patch.sending.js';

/** The longest sleep, in seconds, after which an object with delayed handlers is touched, so that it is seen to be alive. */
const KEEPALIVE_INTERVAL = 600;

/** Seconds until an object is looked at again after conflicts in a row, if the watch has no news of it before; the last one repeats. */
const CONFLICT_DELAYS = [1, 2, 5, 10, 30, 60];

/** Ends the cycles of objects: sends the patch or, if there is none, waits for the next handler and provokes a new event. */
@Injectable()
export class PatchApplication {
  private touchedAt = 0;

  constructor(
    @Inject(PatchSending) private readonly sending: PatchSending,
    @InjectOwn(KOPF_CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Ends a cycle.
   *
   * @returns whether the object is to be read and processed once more, as no event can be expected that would tell of it.
   * @throws what keeps the patch from being sent; it is sent with the next one then.
   */
  async apply(cycle: EventCycle, end: CycleEnd): Promise<boolean> {
    const { patch, slot, memory, logger, session } = cycle;
    const { ending } = session;
    if (slot.pending) await slot.pending;
    if (ending.aborted || !slot.isLeading) {
      const reason = ending.aborted ? 'the operator has stopped meanwhile' : 'another operator may be at work';
      slot.checkBlockage(logger);
      if (!patch.isEmpty || memory.isStateChanged) logger.warn(`What the handlers did is not stored, as ${reason}.`);
      return false;
    }
    if (slot.isGone) {
      logger.debug('Patching was skipped: the object does not exist anymore.');
      return false;
    }
    const { effect, delays, isLossy } = await this.sending.send(cycle, end);
    // If everything was so already, no event comes by which the delayed handlers would be called.
    if (effect === 'changed') return false;
    if (effect === 'conflict') return this.awaitEvent(cycle);
    if (effect === 'refused') return true;
    if (memory.unsent && !cycle.patch.isEmpty) return this.awaitEvent(cycle);
    memory.unsent = undefined;
    return this.awaitNext(cycle, { ...end, delays }, isLossy);
  }

  /** Waits until handlers are due, or until what was refused is to be sent again. */
  private async awaitNext(cycle: EventCycle, end: CycleEnd, isLossy: boolean): Promise<boolean> {
    const { slot, memory, logger } = cycle;
    const now = this.clock.monotonic();
    const delays = [...end.delays, ...[...memory.rejections.values()].map((rejection) => rejection.dueIn(now))];
    if (delays.length === 0) return false;

    const delay = Math.min(...delays);
    if (delay > 0) logger.debug(() => `Sleeping for ${delay} seconds for the delayed handlers.`);
    if (!(await slot.sleep(Math.min(delay, KEEPALIVE_INTERVAL), end.settled))) {
      logger.debug('Sleeping was interrupted by new changes.');
      return false;
    }
    // A touch would not be stored, or would begin anew what has come to nothing.
    if (memory.rejections.size > 0 || memory.isStateUnkept || isLossy) return true;
    try {
      const effect = await this.sending.touch(cycle, end, this.nextTouch());
      // Another operator, whose clock is another one, has touched the object with the same time.
      if (effect === 'unchanged' || effect === 'refused') return true;
      return effect === 'conflict' && (await this.awaitEvent(cycle));
    } finally {
      // It would delay what the next cycle has to do.
      memory.unsent = undefined;
    }
  }

  /** A time that no object was touched with: one touched with the same time again would be the same, and no event would come. */
  private nextTouch(): string {
    this.touchedAt = Math.max(this.clock.now(), this.touchedAt + 0.002);
    return formatTimestamp(this.touchedAt);
  }

  /** Waits for an event of what the conflict was with. A conflict with anything but a newer version makes none. */
  private awaitEvent({ memory, slot, logger }: EventCycle): Promise<boolean> {
    memory.conflicts += 1;
    const delay = backoffDelay(CONFLICT_DELAYS, memory.conflicts);
    if (memory.conflicts > 2) {
      logger.warn(`The patch has met with ${memory.conflicts} conflicts in a row; the next attempt is in ${delay} s.`);
    }
    return slot.sleep(delay);
  }
}
