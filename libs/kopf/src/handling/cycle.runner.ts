import { Inject, Injectable } from '@nestjs/common';
import { ObjectReader } from '../client/api/object.reader.js';
import { isThenable } from 'kube-common';
import { KopfSettings } from '../settings/kopf.settings.js';
import { LeftSelectorEvent } from '../watching/left-selector.event.js';
import { ReleaseHandling } from './release.handling.js';
import type { EventCycle } from './event.cycle.js';
import { HandlingSteps } from './handling.steps.js';
import { IndexHandling } from './index.handling.js';
import { PatchApplication } from './patch.application.js';
import { ReadEvent } from './read.event.js';
import { InjectOwn } from '../kopf.tokens.js';

/** The runner of an object's event cycle: indexing, the steps of handling, and one patch at the end. */
@Injectable()
export class CycleRunner {
  constructor(
    @Inject(IndexHandling) private readonly indexing: IndexHandling,
    @Inject(ReleaseHandling) private readonly releases: ReleaseHandling,
    @Inject(HandlingSteps) private readonly steps: HandlingSteps,
    @Inject(PatchApplication) private readonly application: PatchApplication,
    @Inject(ObjectReader) private readonly reader: ObjectReader,
    @InjectOwn(KopfSettings) private readonly settings: KopfSettings,
  ) {}

  /**
   * Runs the cycle. Returns a state of the object that the operator has read, if it has to be processed next, as the watch has not shown
   * it.
   */
  async run(cycle: EventCycle): Promise<ReadEvent | undefined> {
    const { event, slot } = cycle;
    const indexed = cycle.isRead ? undefined : this.indexing.index(cycle);
    if (indexed) await indexed;
    if (event instanceof LeftSelectorEvent) {
      await this.releases.handle(cycle, event);
      return undefined;
    }
    if (!cycle.isRead) {
      const passed = this.indexing.pass(cycle);
      if (passed !== true && !(await passed)) return undefined;
    }
    // The objects are listed again after the pause, but deleted ones are not.
    if (slot.isOutdated && !cycle.isDeleted) return undefined;
    try {
      const taken = this.steps.take(cycle);
      const result = isThenable(taken) ? await taken : taken;
      cycle.isWaiting = !cycle.isDeleted && typeof result === 'object' && result.delays.length > 0;
      if (cycle.isDeleted || result === 'superseded') return undefined;
      const applied = result === 'outdated' || this.application.apply(cycle, result);
      const isReadNeeded = isThenable(applied) ? await applied : applied;
      return isReadNeeded ? await this.read(cycle) : undefined;
    } catch (error) {
      cycle.renew();
      throw error;
    } finally {
      cycle.memory.background?.releasePatches();
    }
  }

  /** Reads the present state of the object. */
  private async read({ resource, body, memory, slot, logger }: EventCycle): Promise<ReadEvent | undefined> {
    const found = await slot.withoutSlot(() => this.reader.read(resource, body.metadata, slot.signal));
    if (!found) {
      logger.debug('The object does not exist anymore, though the watch has not told so yet.');
      slot.isGone = memory.isGone = true;
      return undefined;
    }
    memory.expect(found, slot.clock.monotonic() + this.settings.persistence.consistencyTimeout * 1000);
    return new ReadEvent(found);
  }
}
