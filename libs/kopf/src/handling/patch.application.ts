import { Inject, Injectable } from '@nestjs/common';
import { backoffDelay } from '../common/backoff.js';
import { type Clock, formatTimestamp, isThenable } from 'kube-common';
import { InjectOwn, KOPF_CLOCK } from '../kopf.tokens.js';
import type { CycleEnd, EventCycle } from './event.cycle.js';
import { PatchSending, type PatchEnd } from './patch.sending.js';

/** The longest sleep in seconds. After it, an object with delayed handlers is touched, which shows that the operator is alive. */
const KEEPALIVE_INTERVAL = 600;

/** Seconds before an object is processed again after consecutive conflicts, unless an event comes before; the last delay repeats. */
const CONFLICT_DELAYS = [1, 2, 5, 10, 30, 60];

/** The end of an event cycle: sends the patch or, without one, waits until a handler is due, and then causes a new event by a touch. */
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
   * @returns whether the object has to be read and processed once more, as no event can be expected.
   * @throws the error that keeps the patch from being sent; it is sent with the next one.
   */
  apply(cycle: EventCycle, end: CycleEnd): boolean | Promise<boolean> {
    const { pending } = cycle.slot;
    return pending ? pending.then(() => this.send(cycle, end)) : this.send(cycle, end);
  }

  private send(cycle: EventCycle, end: CycleEnd): boolean | Promise<boolean> {
    const { patch, slot, memory, logger, session } = cycle;
    const { ending } = session;
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
    const sent = this.sending.send(cycle, end);
    return isThenable(sent)
      ? sent.then((patchEnd) => this.conclude(cycle, end, patchEnd))
      : this.conclude(cycle, end, sent);
  }

  private conclude(
    cycle: EventCycle,
    end: CycleEnd,
    { effect, delays, isLossy }: PatchEnd,
  ): boolean | Promise<boolean> {
    const { memory } = cycle;
    // If the patch has changed nothing, no event follows for which the delayed handlers would be called.
    if (effect === 'changed') return false;
    if (effect === 'conflict') return this.awaitEvent(cycle);
    if (effect === 'refused') return true;
    if (memory.unsent && !cycle.patch.isEmpty) return this.awaitEvent(cycle);
    memory.unsent = undefined;
    if (delays.length === 0 && memory.rejections.size === 0) return false;
    return this.awaitNext(cycle, { ...end, delays }, isLossy);
  }

  /** Waits until a handler is due, or until rejected changes are to be sent again. */
  private async awaitNext(cycle: EventCycle, end: CycleEnd, isLossy: boolean): Promise<boolean> {
    const { slot, memory, logger } = cycle;
    const now = this.clock.monotonic();
    const rejections = [...memory.rejections.values()].map((rejection) => rejection.dueIn(now));
    const delay = Math.min(...end.delays, ...rejections);
    if (delay > 0) logger.debug(() => `Sleeping for ${delay} seconds for the delayed handlers.`);
    if (!(await slot.sleep(Math.min(delay, KEEPALIVE_INTERVAL), end.settled))) {
      logger.debug('Sleeping was interrupted by new changes.');
      return false;
    }
    // A touch would be rejected or not kept, or would repeat the rejected changes of event handlers.
    if (memory.rejections.size > 0 || memory.isStateUnkept || isLossy) return true;
    try {
      const effect = await this.sending.touch(cycle, end, this.nextTouch());
      // Another operator, with a different clock, has touched the object with the same time.
      if (effect === 'unchanged' || effect === 'refused') return true;
      return effect === 'conflict' && (await this.awaitEvent(cycle));
    } finally {
      // Unsent changes would delay the handlers that the next cycle has to call.
      memory.unsent = undefined;
    }
  }

  /**
   * Returns a time that differs from that of each earlier touch: a touch with the same time would not change the object, so that no event
   * would follow.
   */
  private nextTouch(): string {
    this.touchedAt = Math.max(this.clock.now(), this.touchedAt + 0.002);
    return formatTimestamp(this.touchedAt);
  }

  /** Waits for the event of the change that has caused the conflict. Only a conflict with a newer version has one. */
  private awaitEvent({ memory, slot, logger }: EventCycle): Promise<boolean> {
    memory.conflicts += 1;
    const delay = backoffDelay(CONFLICT_DELAYS, memory.conflicts);
    if (memory.conflicts > 2) {
      logger.warn(`The patch has met with ${memory.conflicts} conflicts in a row; the next attempt is in ${delay} s.`);
    }
    return slot.sleep(delay);
  }
}
