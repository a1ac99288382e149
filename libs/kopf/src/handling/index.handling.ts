import { Inject, Injectable } from '@nestjs/common';
import { ObjectIndexing } from '../indexing/object.indexing.js';
import type { EventCycle } from './event.cycle.js';

/** Keeps the indices up to date with the objects, and holds back what comes after until the indices are complete. */
@Injectable()
export class IndexHandling {
  constructor(@Inject(ObjectIndexing) private readonly indexing: ObjectIndexing) {}

  /**
   * Puts the object into the indices, or removes it if nothing more comes of it. The others need not wait for it after that.
   *
   * @returns `undefined` if there are no indices, so that there is nothing to wait for.
   */
  index(cycle: EventCycle): Promise<void> | undefined {
    if (cycle.handlers.indexing.length > 0) return this.indexInto(cycle);
    cycle.noteIndexed();
    return undefined;
  }

  private async indexInto(cycle: EventCycle): Promise<void> {
    const { handlers, key, memory, session } = cycle;
    try {
      if (cycle.isLast) this.indexing.discard(handlers.indexing, key);
      else await this.indexing.index(handlers.indexing, key, cycle, memory, session);
    } finally {
      cycle.noteIndexed();
    }
  }

  /** Waits until all objects that were listed are indexed; returns whether the object can be handled. */
  async pass({ slot, session: { gate, backpressure } }: EventCycle): Promise<boolean> {
    if (gate.isOpen) return true;
    // Those who are still to be indexed may be waiting for the slot.
    await slot.withoutSlot(async () => {
      await gate.opened();
      // All that have waited here go on with the same event: at once, they would block the event loop, and patch all at once.
      await backpressure.enter();
    });
    return !gate.aborted;
  }
}
