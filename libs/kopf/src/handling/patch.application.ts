import type { PatchVerification } from '../client/api/patch.verification.js';
import type { PatchingClient, PatchResult } from '../client/api/patching.client.js';
import type { Clock } from '../common/clock.interface.js';
import type { KopfLogger } from '../common/logger.interface.js';
import type { KubeObject } from '../objects/kube-object.interface.js';
import type { Resource } from '../resources/resource.interface.js';
import type { KopfSettings } from '../settings/kopf.settings.js';
import { ResourcePatch } from '../objects/patches.js';
import { formatTimestamp } from '../common/timestamps.js';
import type { Backpressure } from '../watching/backpressure.js';
import type { LoneSending } from './change.retraction.js';
import type { ObjectMemory } from './object.memory.js';
import type { ObjectTurn } from '../watching/object.turn.js';

/** The longest sleep, in seconds, after which an object with delayed handlers is touched, so that it is seen to be alive. */
const KEEPALIVE_INTERVAL = 600;

/** Seconds until an object is looked at again after conflicts in a row, if the watch has no news of it before; the last one repeats. */
const CONFLICT_DELAYS = [1, 2, 5, 10, 30, 60];

/** Makes another patch of one that the API server has rejected: without what it rejects. */
export type Retraction = (error: Error, sendAlone: LoneSending) => Promise<void>;

/** What one cycle of an object wants to be done in the end. */
export interface CycleEnd {
  readonly resource: Resource;
  readonly body: KubeObject;
  readonly patch: ResourcePatch;
  /** Seconds until handlers are due. */
  readonly delays: readonly number[];
  /** Ends the waiting for the delays, as if they were over. */
  readonly settled?: Promise<unknown>;
  /** Called if the API server rejects the patch; absent if no handlers were called. */
  readonly retract?: Retraction;
  readonly memory: ObjectMemory;
  readonly turn: ObjectTurn;
  readonly logger: KopfLogger;
}

/** What a patch has done to the object: whether an event of it will come, or nothing has changed, or it met with a conflict. */
type PatchEffect = 'changed' | 'unchanged' | 'conflict';

/** Ends the cycles of objects: sends the patch or, if there is none, waits for the next handler and provokes a new event. */
export class PatchApplication {
  private touchedAt = 0;

  constructor(
    private readonly client: PatchingClient,
    private readonly verification: PatchVerification,
    private readonly settings: KopfSettings,
    private readonly clock: Clock,
    private readonly backpressure: Backpressure,
    /** Aborted when handlers are not waited for any longer: another operator may be at work. */
    private readonly signal: AbortSignal,
  ) {}

  /**
   * Ends a cycle.
   *
   * @returns whether the object is to be read and processed once more, as no event can be expected that would tell of it.
   * @throws what keeps the patch from being sent; it is sent with the next one then, unless it is the patch that is wrong.
   */
  async apply(end: CycleEnd): Promise<boolean> {
    const { patch, body, delays, settled, turn, memory, logger } = end;
    if (turn.pending) await turn.pending;
    if (this.signal.aborted || !turn.isCovered) {
      const reason = this.signal.aborted ? 'the operator has stopped meanwhile' : 'another operator may be at work';
      turn.checkBlockage(logger);
      if (!patch.isEmpty) logger.warn(`What the handlers did is not stored, as ${reason}.`);
      return false;
    }
    if (turn.isGone) {
      logger.debug('Patching was skipped: the object does not exist anymore.');
      return false;
    }
    if (!patch.isEmpty) {
      this.settings.persistence.progressStorage.touch(null, body, patch);
      const effect = await this.send(end, patch);
      if (effect === 'conflict') return this.awaitNews(end);
      // If everything was so already, no event comes by which the delayed handlers would be called.
      if (effect === 'changed') return false;
    }
    memory.unsent = undefined;
    if (delays.length === 0) return false;

    const delay = Math.min(...delays);
    if (delay > 0) logger.debug(() => `Sleeping for ${delay} seconds for the delayed handlers.`);
    if (!(await turn.sleep(Math.min(delay, KEEPALIVE_INTERVAL), settled))) {
      logger.debug('Sleeping was interrupted by new changes.');
      return false;
    }
    const touch = new ResourcePatch();
    this.settings.persistence.progressStorage.touch(this.nextTouch(), body, touch);
    try {
      return (await this.send(end, touch)) === 'conflict' && (await this.awaitNews(end));
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
  private awaitNews({ memory, turn, logger }: CycleEnd): Promise<boolean> {
    const delay = CONFLICT_DELAYS[Math.min(memory.conflicts, CONFLICT_DELAYS.length - 1)];
    memory.conflicts += 1;
    if (memory.conflicts > 2) {
      logger.warn(`The patch has met with ${memory.conflicts} conflicts in a row; the next attempt is in ${delay} s.`);
    }
    return turn.sleep(delay);
  }

  private async send(end: CycleEnd, patch: ResourcePatch): Promise<PatchEffect> {
    const { memory, turn, body } = end;
    let result = await this.request(end, patch, body);
    if (result.outcome === 'rejected' && end.retract) {
      const newest = await this.retract(end, patch, result.error, result.body ?? body);
      result = patch.isEmpty ? { outcome: 'stored', body: newest } : await this.request(end, patch, newest);
    }
    memory.unsent = 'unsent' in result ? result.unsent : undefined;
    memory.unsentFence = turn.fence;
    switch (result.outcome) {
      case 'gone':
        turn.isGone = memory.isGone = true;
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
  private async retract(end: CycleEnd, patch: ResourcePatch, error: Error, body: KubeObject): Promise<KubeObject> {
    let newest = body;
    await end.retract?.(error, async (content) => {
      const result = await this.request(end, new ResourcePatch(content), newest);
      if (result.outcome === 'failed') throw result.error;
      newest = (result.outcome === 'gone' ? undefined : result.body) ?? newest;
      if (result.outcome === 'conflict') patch.add(result.unsent);
      return result.outcome === 'rejected' ? result.error : undefined;
    });
    this.settings.persistence.progressStorage.touch(null, end.body, patch);
    return newest;
  }

  private async request(end: CycleEnd, patch: ResourcePatch, body: KubeObject): Promise<PatchResult> {
    const { resource, memory, turn, logger } = end;
    const request = { resource, body, patch, logger, signal: turn.signal, fence: turn.fence };
    const result = await this.backpressure.track(this.client.applyPatch(request));
    if (result.outcome === 'gone') return result;
    const { body: patched } = result;
    if (patched && isNewer(patched, body)) this.expect(memory, patched);
    if (patched && result.outcome === 'stored') {
      this.confirmEssence(memory);
      confirmProgress(memory);
      this.verification.verify(resource, patch, patched, logger);
    }
    return result;
  }

  private confirmEssence(memory: ObjectMemory): void {
    const { sentEssence } = memory;
    if (sentEssence === undefined) return;
    memory.sentEssence = undefined;
    memory.essenceStored = true;
    memory.essenceUnstorable = false;
    memory.essence = this.settings.persistence.lostEssence === 'recall' ? sentEssence : undefined;
  }

  /** Remembers which version to wait for, before handlers of changes are called again. */
  private expect(memory: ObjectMemory, patched: KubeObject): void {
    const { consistencyTimeout } = this.settings.persistence;
    if (!consistencyTimeout || patched.metadata.resourceVersion === undefined) return;
    memory.expect(patched, this.clock.monotonic() + consistencyTimeout * 1000);
  }
}

function confirmProgress(memory: ObjectMemory): void {
  const { sentProgress } = memory;
  if (sentProgress === undefined) return;
  memory.sentProgress = undefined;
  memory.progress ??= new Map();
  for (const [id, record] of sentProgress) memory.progress.set(id, record);
}

/** Whether the cluster has made a new version of the object. */
function isNewer({ metadata }: KubeObject, before: KubeObject): boolean {
  return metadata.resourceVersion !== before.metadata.resourceVersion;
}
