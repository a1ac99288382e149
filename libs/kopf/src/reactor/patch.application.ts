import type { PatchVerification } from '../client/patch.verification.js';
import type { PatchingClient } from '../client/patching.client.js';
import type { Clock } from '../interfaces/clock.interface.js';
import type { KopfLogger } from '../interfaces/logger.interface.js';
import type { KubeObject } from '../interfaces/kube-object.interface.js';
import type { Resource } from '../interfaces/resource.interface.js';
import { isDeletionOngoing } from '../persistence/finalizers.js';
import type { KopfSettings } from '../settings/kopf.settings.js';
import { ResourcePatch } from '../structs/patches.js';
import { formatTimestamp } from '../utils/timestamps.js';
import type { Backpressure } from './backpressure.js';
import type { ObjectMemory } from './object.memory.js';
import type { ObjectTurn } from './object.turn.js';

/** The longest sleep, in seconds, after which an object with delayed handlers is touched, so that it is seen to be alive. */
const KEEPALIVE_INTERVAL = 600;

/** What one cycle of an object wants to be done in the end. */
export interface CycleEnd {
  readonly resource: Resource;
  readonly body: KubeObject;
  readonly patch: ResourcePatch;
  /** Seconds until handlers are due. */
  readonly delays: readonly number[];
  /** Ends the waiting for the delays, as if they were over. */
  readonly settled?: Promise<unknown>;
  readonly memory: ObjectMemory;
  readonly turn: ObjectTurn;
  readonly logger: KopfLogger;
}

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

  async apply(end: CycleEnd): Promise<void> {
    const { patch, body, delays, settled, turn, logger } = end;
    if (this.signal.aborted || !turn.isCovered) {
      const reason = this.signal.aborted ? 'the operator has stopped meanwhile' : 'another operator may be at work';
      if (!patch.isEmpty) logger.warn(`What the handlers did is not stored, as ${reason}.`);
      return;
    }
    if (turn.isGone) {
      logger.debug('Patching was skipped: the object does not exist anymore.');
      return;
    }
    if (!patch.isEmpty) {
      this.settings.persistence.progressStorage.touch(null, body, patch);
      // If everything was so already, no event comes by which the delayed handlers would be called.
      if (await this.send(end, patch)) return;
    }
    end.memory.remaining = undefined;
    if (delays.length === 0) return;

    const delay = Math.min(...delays);
    if (delay > 0) logger.debug(() => `Sleeping for ${delay} seconds for the delayed handlers.`);
    if (!(await turn.sleep(Math.min(delay, KEEPALIVE_INTERVAL), settled))) {
      logger.debug('Sleeping was interrupted by new changes.');
      return;
    }
    const touch = new ResourcePatch();
    this.settings.persistence.progressStorage.touch(this.nextTouch(), body, touch);
    await this.send(end, touch);
  }

  /** A time that no object was touched with: one touched with the same time again would be the same, and no event would come. */
  private nextTouch(): string {
    this.touchedAt = Math.max(this.clock.now(), this.touchedAt + 0.002);
    return formatTimestamp(this.touchedAt);
  }

  /** Sends a patch. Returns whether an event comes of it. */
  private async send({ resource, body, memory, turn, logger }: CycleEnd, patch: ResourcePatch): Promise<boolean> {
    const { name = '', namespace } = body.metadata;
    memory.remaining = undefined;
    const { body: patched, remaining } = await this.backpressure.track(
      this.client.applyPatch({
        resource,
        namespace,
        name,
        body,
        patch,
        logger,
        signal: turn.signal,
      }),
    );
    memory.remaining = remaining?.transformations;
    if (patched) {
      this.confirmEssence(memory);
      confirmProgress(memory);
      this.verification.verify(resource, patch, patched, logger);
    }
    const isChanged = patched !== undefined && isNewer(patched, body);
    if (isChanged) this.expect(memory, patched);
    return isChanged || remaining !== undefined;
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
  private expect(memory: ObjectMemory, { metadata }: KubeObject): void {
    const { consistencyTimeout } = this.settings.persistence;
    const { resourceVersion } = metadata;
    if (!consistencyTimeout || resourceVersion === undefined) return;
    const isGoing = isDeletionOngoing({ metadata }) && !metadata.finalizers?.length;
    memory.expectedVersion = isGoing ? `${resourceVersion}~which~never~arrives` : resourceVersion;
    memory.consistencyDeadline = this.clock.monotonic() + consistencyTimeout * 1000;
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
