import { Inject, Injectable } from '@nestjs/common';
import { PatchVerification } from '../client/api/patch.verification.js';
import { PatchingClient, type PatchResult } from '../client/api/patching.client.js';
import { backoffDelay } from '../common/backoff.js';
import type { Clock } from '../common/clock.js';
import type { KubeObject } from '../objects/kube-object.js';
import { KopfSettings } from '../settings/kopf.settings.js';
import { ResourcePatch } from '../objects/patches.js';
import { formatTimestamp } from '../common/timestamps.js';
import { KOPF_CLOCK } from '../kopf.tokens.js';
import type { LoneSending } from './change.retraction.js';
import type { CycleEnd, EventCycle } from './event.cycle.js';
import type { ObjectMemory } from './object.memory.js';

/** The longest sleep, in seconds, after which an object with delayed handlers is touched, so that it is seen to be alive. */
const KEEPALIVE_INTERVAL = 600;

/** Seconds until an object is looked at again after conflicts in a row, if the watch has no news of it before; the last one repeats. */
const CONFLICT_DELAYS = [1, 2, 5, 10, 30, 60];

/** Names the effect of a patch: an event of it will come, nothing has changed, or it met with a conflict. */
type PatchEffect = 'changed' | 'unchanged' | 'conflict';

/** Ends the cycles of objects: sends the patch or, if there is none, waits for the next handler and provokes a new event. */
@Injectable()
export class PatchApplication {
  private touchedAt = 0;

  constructor(
    @Inject(PatchingClient) private readonly client: PatchingClient,
    @Inject(PatchVerification) private readonly verification: PatchVerification,
    @Inject(KopfSettings) private readonly settings: KopfSettings,
    @Inject(KOPF_CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Ends a cycle.
   *
   * @returns whether the object is to be read and processed once more, as no event can be expected that would tell of it.
   * @throws what keeps the patch from being sent; it is sent with the next one then, unless it is the patch that is wrong.
   */
  async apply(cycle: EventCycle, end: CycleEnd): Promise<boolean> {
    const { patch, body, slot, memory, logger, session } = cycle;
    const { delays, settled } = end;
    const { ending } = session;
    if (slot.pending) await slot.pending;
    if (ending.aborted || !slot.isLeading) {
      const reason = ending.aborted ? 'the operator has stopped meanwhile' : 'another operator may be at work';
      slot.checkBlockage(logger);
      if (!patch.isEmpty) logger.warn(`What the handlers did is not stored, as ${reason}.`);
      return false;
    }
    if (slot.isGone) {
      logger.debug('Patching was skipped: the object does not exist anymore.');
      return false;
    }
    if (!patch.isEmpty) {
      this.settings.persistence.progressStorage.touch(null, body, patch);
      const effect = await this.send(cycle, end, patch);
      if (effect === 'conflict') return this.awaitEvent(cycle);
      // If everything was so already, no event comes by which the delayed handlers would be called.
      if (effect === 'changed') return false;
    }
    memory.unsent = undefined;
    if (delays.length === 0) return false;

    const delay = Math.min(...delays);
    if (delay > 0) logger.debug(() => `Sleeping for ${delay} seconds for the delayed handlers.`);
    if (!(await slot.sleep(Math.min(delay, KEEPALIVE_INTERVAL), settled))) {
      logger.debug('Sleeping was interrupted by new changes.');
      return false;
    }
    const touch = new ResourcePatch();
    this.settings.persistence.progressStorage.touch(this.nextTouch(), body, touch);
    try {
      const effect = await this.send(cycle, end, touch);
      // Another operator, whose clock is another one, has touched the object with the same time.
      if (effect === 'unchanged') return true;
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

  private async send(cycle: EventCycle, { retract }: CycleEnd, patch: ResourcePatch): Promise<PatchEffect> {
    const { memory, slot, body } = cycle;
    let result = await this.request(cycle, patch, body);
    if (result.outcome === 'rejected' && retract) {
      const { error } = result;
      const newest = await this.retract(cycle, patch, result.body ?? body, (sendAlone) => retract(error, sendAlone));
      result = patch.isEmpty ? { outcome: 'stored', body: newest } : await this.request(cycle, patch, newest);
    }
    memory.unsent = 'unsent' in result ? result.unsent : undefined;
    memory.unsentFence = slot.fence;
    switch (result.outcome) {
      case 'gone':
        slot.isGone = memory.isGone = true;
        return 'changed';
      case 'conflict':
        return 'conflict';
      case 'failed':
      case 'rejected':
        throw result.error;
      case 'stored':
        memory.conflicts = 0;
        return result.body !== undefined && isNewer(result.body, body) ? 'changed' : 'unchanged';
    }
  }

  /** Has the patch made anew, without what the API server rejects. Returns the newest state of the object. */
  private async retract(
    cycle: EventCycle,
    patch: ResourcePatch,
    body: KubeObject,
    retract: (sendAlone: LoneSending) => Promise<void>,
  ): Promise<KubeObject> {
    let newest = body;
    await retract(async (content) => {
      const result = await this.request(cycle, new ResourcePatch(content), newest);
      if (result.outcome === 'failed') throw result.error;
      newest = (result.outcome === 'gone' ? undefined : result.body) ?? newest;
      if (result.outcome === 'conflict') patch.add(result.unsent);
      return result.outcome === 'rejected' ? result.error : undefined;
    });
    this.settings.persistence.progressStorage.touch(null, cycle.body, patch);
    return newest;
  }

  private async request(cycle: EventCycle, patch: ResourcePatch, body: KubeObject): Promise<PatchResult> {
    const { resource, memory, slot, logger, session } = cycle;
    const request = { resource, body, patch, logger, signal: slot.signal, fence: slot.fence };
    const result = await session.backpressure.track(this.client.applyPatch(request));
    if (result.outcome === 'gone') return result;
    const { body: patched } = result;
    if (patched && isNewer(patched, body)) this.expect(memory, patched);
    if (patched && result.outcome === 'stored') {
      memory.confirmSent(this.settings.persistence.lostEssence === 'recall');
    }
    this.verification.verify(resource, patch, result, logger, session.pruned);
    return result;
  }

  /** Remembers the version of the patch, for which the operator waits before it calls handlers of changes again, if it is to wait at all. */
  private expect(memory: ObjectMemory, patched: KubeObject): void {
    const { consistencyTimeout } = this.settings.persistence;
    if (patched.metadata.resourceVersion === undefined) return;
    memory.expect(patched, consistencyTimeout > 0 ? this.clock.monotonic() + consistencyTimeout * 1000 : undefined);
  }
}

/** Checks whether the cluster has created a new version of the object. */
function isNewer({ metadata }: KubeObject, before: KubeObject): boolean {
  return metadata.resourceVersion !== before.metadata.resourceVersion;
}
